export { createMcp } from './server.ts';
export { serveOnStdio } from './serve-stdio.ts';
export { openRuns } from './open-runs.ts';
