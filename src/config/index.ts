// No export here loads zod: the schema is loaded when a setting has to be checked.
export { loadConfig } from './load.ts';
export type { Loaded, LoadOptions } from './load.ts';
export type { Flag, FlagPlace } from './setting.ts';
export type { Key } from './keys.ts';
export { generatedFiles, loadSchema, settingsTable } from './generated/index.ts';
export { environmentLayer, parseText } from './environment.ts';
export { printable, settingsLayer } from './layers.ts';
export type { Layer, Setting } from './layers.ts';
export type { Config, Settings, OrchestratorConfig, QueueConfig, TelemetryConfig } from './schema.ts';
