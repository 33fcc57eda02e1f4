export { createMcp } from './server.ts';
export type { McpOptions } from './server.ts';
export { serveOnStdio } from './serve-stdio.ts';
export type { McpRun } from './tool.ts';
export { openRuns } from './open-runs.ts';
