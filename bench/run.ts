import { globSync } from 'node:fs';
import { basename } from 'node:path';

// `npm run bench NAME -- --quick --check`: runs bench/NAME.ts. Each program says what it measures and against what.
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run' && name !== 'measure')
  .sort();
const name = process.argv[2] ?? '';
if (!names.includes(name)) {
  console.error(`say which: ${names.join(', ')}`);
  process.exit(2);
}
process.argv.splice(2, 1);
await import(`./${name}.ts`);
