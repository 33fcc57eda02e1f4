export { createMcp, serveOnStdio } from './server.ts';
export { openRuns } from './tool.ts';
