export { createMcp } from './server.ts';
export { serveOnStdio } from './server.ts';
export { openRuns } from './open-runs.ts';
