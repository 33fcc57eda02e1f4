import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { wantedFlags } from './kit/flags.ts';

// `npm run bench NAME -- [--quick] [--json] [--check]` runs bench/NAME.ts; without a name it tells which there are.
const folder = import.meta.dirname;
const [name, ...rest] = process.argv.slice(2).filter((argument) => argument !== '--');

if (name === undefined || name.startsWith('-')) {
  console.log('npm run bench NAME -- [--quick] [--json] [--check]\n');
  for (const file of globSync('*.ts', { cwd: folder }).sort()) {
    // The first line of a bench is the sentence that says what it measures.
    const sentence = /^\/\/ (.+)/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    if (sentence !== undefined) console.log(`  ${basename(file, '.ts').padEnd(10)} ${sentence}`);
  }
  console.log('\n  --quick    fewer jobs and repetitions: under a minute');
  console.log('  --json     every figure, its target, and whether it was met');
  console.log('  --check    exit 1 when a target was missed');
  process.exit(0);
}

const program = join(folder, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || !existsSync(program)) {
  console.error(`there is no bench ${name}; npm run bench lists them`);
  process.exit(2);
}
const flags = [...new Set([...rest, ...wantedFlags(process.env)])];
const { status } = spawnSync(process.execPath, [program, ...flags], { stdio: 'inherit' });
process.exit(status ?? 1);
