import { enableCompileCache } from 'node:module';

// What a cpu worker begins with, thread or process. All but this file is then read as it was compiled the last time: a worker that
// strips types and compiles first spends longer on that than many an item takes.
enableCompileCache();
await import('./worker-main.ts');
