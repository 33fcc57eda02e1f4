import { join } from 'node:path';

/** The folder of the programs under test: `npm test` bundles them first, because they are started hundreds of times. */
export const BIN = process.env['TESTED_BIN'] ?? join(import.meta.dirname, '..', '..', 'bin');
