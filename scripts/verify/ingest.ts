import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { CorpusStore, removeStore } from '../../src/store/index.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';

// `npm run verify:ingest [-- --kills 200 --seed 1]`: kills processes that write and ingest logs at random moments, and
// compares the database that is left with one that is built from the logs at once.

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' }, child: { type: 'string' } },
});

/** Appends lines and ingests them until it is killed. */
function write(folder: string, seed: number): void {
  const lines = corpusLines(5_000, seed);
  using store = CorpusStore.create(folder);
  process.stdout.write('ready\n');
  for (const [at, line] of lines.entries()) {
    appendLine(folder, line);
    if (at % 5 === 0) store.ingest();
  }
}

async function storm(kills: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'verify-ingest-'));
  for (let kill = 0; kill < kills; kill += 1) {
    const script = fileURLToPath(import.meta.url);
    const child = spawn(
      process.execPath,
      [...process.execArgv, script, '--child', folder, '--seed', String(seed + kill)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(child.stdout, 'data');
    await sleep(Math.random() * 60);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const dump = (): string => {
    using store = CorpusStore.create(folder);
    store.ingest();
    return dumpOf(store);
  };
  const grown = dump();
  removeStore(folder);
  const rebuilt = dump();
  const rows = rebuilt.split('\n').length;
  console.log(
    `${kills} kills, seed ${seed}: ${rows} rows, ${grown === rebuilt ? 'increment equals rebuild' : 'DIFFERENT'}`,
  );
  if (grown !== rebuilt) process.exitCode = 1;
  else rmSync(folder, { recursive: true });
}

const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
if (values.child !== undefined) write(values.child, seed);
else await storm(Number(values.kills), seed);
