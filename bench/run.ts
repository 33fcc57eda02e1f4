import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';

// `npm run bench NAME -- options` runs bench/NAME.ts.
const [name = '', ...options] = process.argv.slice(2);
const program = join(import.meta.dirname, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || name === 'run' || !existsSync(program)) {
  const names = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.ts'));
  console.error(
    `which? ${names
      .filter((known) => known !== 'run')
      .sort()
      .join(', ')}`,
  );
  process.exit(2);
}
const { status } = spawnSync(process.execPath, ['--conditions=docstokg-source', program, ...options], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
