export { isLoopback } from './http/gate.ts';
export { writeReport } from './report.ts';
export { openServer } from './server.ts';
export type { CorpusServer, ServerOptions } from './server.ts';
