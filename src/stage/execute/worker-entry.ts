import { enableCompileCache } from 'node:module';

// The main module of a cpu worker. It loads the rest from the compile cache: stripping types and compiling would take
// longer than many items.
enableCompileCache();
await import('./worker-main.ts');
