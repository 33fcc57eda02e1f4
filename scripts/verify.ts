// `npm run verify:NAME -- OPTIONS` runs scripts/verify/NAME.ts: checks of the whole program that take longer than a
// test. Exit code 0 if everything passed, 1 on a failure, 2 for invalid options.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const [name = ''] = process.argv.splice(2, 1);
const names = globSync('*.ts', { cwd: join(import.meta.dirname, 'verify') }).map((file) => basename(file, '.ts'));
if (!names.includes(name)) {
  console.error(`usage: node scripts/verify.ts NAME [OPTIONS]; NAME is one of ${names.sort().join(', ')}`);
  process.exit(2);
}
await import(`./verify/${name}.ts`);
