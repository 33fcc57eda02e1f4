import { mkdirSync, rmSync } from 'node:fs';

import { bareLoop } from './bare.ts';
import { ourPipeline } from './ours.ts';
import { childCpuSeconds } from './usage.ts';

/** What one side of the comparison used. */
export interface Usage {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Of processes it started, which have ended. */
  readonly childCpuSeconds: number;
  readonly peakMegabytes: number;
}

// One contender in a process of its own: a few files to warm up, then all of them.
const [name = '', port = '', files = '', atOnce = '', out = ''] = process.argv.slice(2);

async function run(count: number, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const shared = { files: count, atOnce: Number(atOnce), out: folder };
  if (name.startsWith('bare'))
    await bareLoop({ ...shared, origin: `http://127.0.0.1:${port}`, sync: name === 'bare-sync' });
  else {
    const { saved } = await ourPipeline({ ...shared, port: Number(port), inspect: name === 'ours-inspect' });
    if (saved !== count) throw new Error(`${saved} of ${count} files were kept`);
  }
}

await run(Math.min(100, Number(files)), `${out}-warm`);
rmSync(`${out}-warm`, { recursive: true, force: true });
const before = { cpu: process.cpuUsage(), children: childCpuSeconds(), wall: performance.now() };
await run(Number(files), out);
const { user, system } = process.cpuUsage(before.cpu);
const usage: Usage = {
  wallSeconds: (performance.now() - before.wall) / 1000,
  cpuSeconds: (user + system) / 1e6,
  childCpuSeconds: childCpuSeconds() - before.children,
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
};
process.stdout.write(`${JSON.stringify(usage)}\n`);
