export { createMcp, serveOnStdio } from './server.ts';
