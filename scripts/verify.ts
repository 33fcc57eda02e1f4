// `npm run verify:NAME -- OPTIONS` runs scripts/verify/NAME.ts: a check of the whole program that takes longer than a test.
// Each ends with 0 when everything held, 1 on a fault, and 2 when it was asked for what it does not have.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const [name = ''] = process.argv.splice(2, 1);
const names = globSync('*.ts', { cwd: join(import.meta.dirname, 'verify') }).map((file) => basename(file, '.ts'));
if (!names.includes(name)) {
  console.error(`node scripts/verify.ts NAME [OPTIONS], where NAME is one of ${names.sort().join(', ')}`);
  process.exit(2);
}
await import(`./verify/${name}.ts`);
