import { enableCompileCache } from 'node:module';

// The main module of a cpu worker. Everything else is loaded from the compile cache: stripping types and compiling would
// take longer than many an item.
enableCompileCache();
await import('./worker-main.ts');
