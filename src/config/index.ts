// No export here loads zod: the schema is loaded when a setting has to be checked.
export { loadConfig, suggestion } from './load.ts';
export type { Loaded } from './load.ts';
export type { FlagPlace } from './setting.ts';
export type { Key } from './keys.ts';
export { generatedFiles, loadSchema, settingsTable } from './generated/index.ts';
export { arrayTask, environmentLayer, parseText } from './environment.ts';
export { printable, settingsLayer, withoutPasswords } from './layers.ts';
export type { Layer } from './layers.ts';
export { proxyOf } from './proxy.ts';
export type { Config, Settings } from './schema.ts';
