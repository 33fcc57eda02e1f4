import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { CorpusStore, removeStore } from '../../src/database/index.ts';
import { checkOptions } from '../../test/support/options.ts';
import { appendLine, corpusLines, dumpOf } from '../../test/support/corpus-logs.ts';

// `npm run verify:ingest [-- --kills 200 --seed 1]`: kills processes that write and ingest logs at random moments, and
// compares the resulting database with one built from the logs in one go. With `--folder RUN` it deletes the database of a
// run, builds it again, and compares the rows, those of the graph included.

const values = checkOptions({ kills: 200, seed: Math.floor(Math.random() * 1e6), child: '', folder: '' });

async function rebuild(folder: string): Promise<void> {
  const dump = (): string => {
    using store = CorpusStore.open(folder);
    store.ingest();
    return dumpOf(store);
  };
  const before = dump();
  // Loaded here: the processes that are killed need the store alone.
  const { openCorpus } = await import('../../src/corpus/index.ts');
  await using corpus = await openCorpus(folder);
  removeStore(folder);
  const { lines, works, documents, nodes } = await corpus.reindex();
  const [had, has] = [before, dump()].map((text) => new Set(text.split('\n')));
  const changes = [...(had?.difference(has ?? new Set()) ?? [])].map((row) => `- ${row}`);
  changes.push(...[...(has?.difference(had ?? new Set()) ?? [])].map((row) => `+ ${row}`));
  const isEqual = changes.length === 0;
  console.log(
    `${folder}: ${lines} log lines, ${works} works, ${documents} documents, ${nodes} nodes: ${isEqual ? 'rebuild equals what was there' : 'DIFFERENT'}`,
  );
  for (const row of changes.slice(0, 20)) console.log(`  ${row.slice(0, 200)}`);
  if (!isEqual) process.exitCode = 1;
}

/** Appends lines and ingests them until it is killed. */
function write(folder: string, seed: number): void {
  // Compiled once for all processes; one that is killed would not write it.
  flushCompileCache();
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
        env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'verify-ingest-compiled') },
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

if (values.folder !== '') await rebuild(values.folder);
else if (values.child !== '') write(values.child, values.seed);
else await storm(values.kills, values.seed);
