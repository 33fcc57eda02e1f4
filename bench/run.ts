import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { npmFlags } from './kit.ts';

// `npm run bench NAME -- [--quick] [--json] [--check]` runs bench/NAME.ts; without a name it lists the benches.
const BENCHES = ['harvest', 'parse', 'embed', 'search', 'search-postgres', 'start', 'queue', 'page'];
const [name, ...rest] = process.argv.slice(2).filter((argument) => argument !== '--');

if (name === undefined || name.startsWith('-')) {
  console.log('npm run bench NAME -- [--quick] [--json] [--check]\n');
  for (const each of BENCHES) {
    // The first line of a bench says what it measures.
    const sentence = /^\/\/ (.+)/.exec(readFileSync(join(import.meta.dirname, `${each}.ts`), 'utf8'))?.[1] ?? '';
    console.log(`  ${each.padEnd(15)} ${sentence}`);
  }
  console.log('\n  --quick    smaller inputs and fewer repetitions: about a minute');
  console.log('  --json     every figure with all its samples');
  console.log('  --check    exit 1 when a target is missed');
  process.exit(0);
}
const program = join(import.meta.dirname, `${name}.ts`);
if (!BENCHES.includes(name) || !existsSync(program)) {
  console.error(`there is no bench ${name}; npm run bench lists them`);
  process.exit(2);
}
const words = [program, ...new Set([...rest, ...npmFlags(process.env)])];
const { status } = spawnSync(process.execPath, ['--conditions=docstokg-source', ...words], { stdio: 'inherit' });
process.exit(status ?? 1);
