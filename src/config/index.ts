export { loadConfig } from './load.ts';
export type { Loaded, LoadOptions } from './load.ts';
export { jsonSchema, listKeys } from './keys.ts';
export type { Key } from './keys.ts';
export { parseText } from './environment.ts';
export { settingsLayer } from './layers.ts';
export type { Layer, Setting } from './layers.ts';
export { configSchema } from './schema.ts';
export type { Config, Settings, OrchestratorConfig, QueueConfig, TelemetryConfig } from './schema.ts';
