// `npm run way`: the source files that run while one work is downloaded, and while one document becomes searchable.
// A file is on the way when one of its functions is called, as V8 counts it; loading a file is not enough.
import { mkdtempDisposableSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Admin, DEFAULT_POLICY, expectedOutcome, Simulation } from '../sim/index.ts';
import { openCorpus } from '../src/corpus/index.ts';

const WORKS = 4;
const SOURCE = join(import.meta.dirname, '..', 'src');

using scratch = mkdtempDisposableSync(join(tmpdir(), 'docstokg-way-'));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

await using simulation = await Simulation.open({
  parameters: { seed: 11, works: 20, hosts: 4, profile: 'calm' },
  documents: 'plain',
  timeScale: 0.01,
});
await using admin = await Admin.open(simulation);
const { works } = expectedOutcome(simulation.world, DEFAULT_POLICY);
// Two works of one kind: by the time the second begins, everything is open that a run opens once.
const saved = works.filter(({ outcome }) => outcome === 'saved').map(({ work }) => work.id);
const ids = saved.slice(0, WORKS);
await using corpus = await openCorpus(join(scratch.path, 'run'), {
  sim: admin.url,
  settings: { orchestrator: { max_workers: 1 }, stage: { policy: 'io' } },
});

const run: string[] = [];
let way: string[] = [];
let settled = 0;
for await (const each of corpus.gather({ ids, until: 'files' })) {
  if (each.kind !== 'queue' || each.event.kind !== 'job-settled') continue;
  settled += 1;
  if (settled < WORKS) run.push(...(await called()));
  else way = await called();
}
run.push(...way, ...(await called()));
print('one work, from its lease to its file, its row and its settlement', way);
await Array.fromAsync(corpus.gather({ ids }));
const documents = (await called()).filter((file) => /^(stage|parse|search)\//.test(file));
print(`a whole run of ${WORKS} works, with all that is opened and closed once`, [...new Set(run)].sort());
print(`${WORKS} documents, from their files to an index`, documents);

/** Files of src/ in which something was called since the last look. */
async function called(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(SOURCE))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName && (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => fileURLToPath(url).slice(SOURCE.length + 1))
    .sort();
}

function print(title: string, files: readonly string[]): void {
  console.log(`${title}: ${files.length} files`);
  for (const [room, inside] of Map.groupBy(files, (file) => file.split('/')[0] ?? ''))
    console.log(
      `  ${room.padEnd(10)} ${String(inside.length).padStart(3)}  ${inside.map((file) => file.slice(room.length + 1)).join(' ')}`,
    );
}
