// Settings for who only reads them: the schema, and zod behind it, is read when a setting has to be looked at closely.
export { parseText } from '../environment.ts';
export { loadConfig } from '../load.ts';
export { settingKeys } from '../settings-table.ts';
