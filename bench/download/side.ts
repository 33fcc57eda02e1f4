import { mkdirSync, rmSync } from 'node:fs';

import { bareLoop } from './bare.ts';
import { crawleeFiles } from './crawlee.ts';
import { corpusWorks, ourPipeline } from './ours.ts';
import type { Usage } from './usage.ts';
import { childCpuSeconds } from './usage.ts';

/** Enough for the compiler to have done its work, which a harvest of hours does once. */
const WARM_UP = 300;

// One contender in a process of its own: a few files to warm up, then all of them.
const [name = '', port = '', files = '', atOnce = '', out = ''] = process.argv.slice(2);

async function run(count: number, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const shared = { files: count, atOnce: Number(atOnce), out: folder, origin: `http://127.0.0.1:${port}` };
  if (name.startsWith('bare')) await bareLoop({ ...shared, sync: name === 'bare-sync' });
  else if (name === 'crawlee') {
    const finished = await crawleeFiles(shared);
    if (finished !== count) throw new Error(`${finished} of ${count} files were fetched`);
  } else {
    const { saved } = await ourPipeline({
      ...shared,
      port: Number(port),
      perHost: 4,
      works: corpusWorks(count),
      inspect: name === 'ours-inspect',
    });
    if (saved !== count) throw new Error(`${saved} of ${count} files were kept`);
  }
}

/** Processes that were ended are counted when the system has told so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 300));
}

await run(Math.min(name === 'crawlee' ? WARM_UP / 10 : WARM_UP, Number(files)), `${out}-warm`);
rmSync(`${out}-warm`, { recursive: true, force: true });
await settled();
const before = { cpu: process.cpuUsage(), children: childCpuSeconds(), wall: performance.now() };
await run(Number(files), out);
const { user, system } = process.cpuUsage(before.cpu);
const wallSeconds = (performance.now() - before.wall) / 1000;
await settled();
const usage: Usage = {
  wallSeconds,
  cpuSeconds: (user + system) / 1e6,
  childCpuSeconds: childCpuSeconds() - before.children,
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
};
process.stdout.write(`${JSON.stringify(usage)}\n`);
