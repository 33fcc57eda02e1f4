import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

// `npm run bench NAME -- [options]` runs bench/NAME.ts.
const [name = '', ...options] = process.argv.slice(2);
const program = join(import.meta.dirname, `${name}.ts`);
if (!/^[a-z][a-z-]*$/.test(name) || name === 'run' || !existsSync(program)) {
  console.error(`there is no bench "${name}"`);
  process.exit(2);
}
process.exit(spawnSync(process.execPath, [program, ...options], { stdio: 'inherit' }).status ?? 1);
