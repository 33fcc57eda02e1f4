import { join } from 'node:path';

/** The folder of the programs under test: `npm test` bundles them first, because they are started hundreds of times. */
export const BIN = process.env['TESTED_BIN'] ?? join(import.meta.dirname, '..', '..', 'bin');

/**
 * Simulated scans take minutes to read, and every worker process takes as long to start as a small paper to parse; both have
 * tests of their own.
 */
export const CHEAPLY = { NO_COLOR: '1', DOCSTOKG_PARSE__OCR: 'off', DOCSTOKG_STAGE__WORKERS: '1' };

/**
 * Stages in the main process, for tests of something else: to start a worker process takes longer than to parse a small
 * paper. The demo, run-kill, stage-kill and the packed package use the processes of real runs.
 */
export const INLINE = { DOCSTOKG_STAGE__POLICY: 'io' };

/** A program of the tests by its path in test/, bundled like the others (scripts/bundle.ts). */
export function testProgram(path: `${string}.ts`): string {
  if (process.env['TESTED_BIN'] === undefined) return join(import.meta.dirname, '..', path);
  return join(BIN, '..', 'dist', 'test', path.replace(/\.ts$/, '.js'));
}
