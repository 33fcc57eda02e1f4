// Takes papers from a static server to the disk: the whole pipeline beside the bare limit and the downloaders people use.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { corpusSizes, writeCorpus } from './download/corpus.ts';
import { measurePoliteMix } from './download/polite.ts';
import { serveFolder } from './download/static-server.ts';
import { runTool, TOOLS } from './download/tools.ts';
import type { Usage } from './download/usage.ts';
import { parseFlags } from './kit/flags.ts';
import { installPeers, peerVersion } from './kit/peers.ts';
import { BenchReport, median, versionOf } from './kit/report.ts';

const run = promisify(execFile);
const flags = parseFlags();
const report = new BenchReport('download', flags);

const FILES = flags.quick ? 300 : 3_000;
const ROUNDS = 3;
const DISK_FILES = flags.quick ? 40 : 300;
const AT_ONCE = 64;
/** Dead chunks leave with young collections, which are cheap; with a large young space full ones come first. */
const YOUNG = '--max-semi-space-size=4';
const CRAWLEE = 'Crawlee FileDownload';
/** Everything that users have on. */
const CHECKED = 'ours, identity check on';

/** In memory where there is room, so that processors are compared and not the disk, which everybody waits for alike. */
const memory = existsSync('/dev/shm') ? statfsSync('/dev/shm') : undefined;
const roomy = memory !== undefined && memory.bavail * memory.bsize > 3 * 960_000 * FILES;
const folder = mkdtempSync(join(roomy ? '/dev/shm' : tmpdir(), 'docstokg-bench-download-'));
const disk = mkdtempSync(join(tmpdir(), 'docstokg-bench-download-'));
process.once('exit', () => {
  for (const each of [folder, disk]) rmSync(each, { recursive: true, force: true });
});
report.progress(`writing ${FILES} PDFs`);
const corpus = writeCorpus(join(folder, 'corpus'), corpusSizes(FILES));
await using server = await serveFolder(corpus.folder, folder);
const origin = `http://127.0.0.1:${server.port}`;

report.setting('server', `${server.name}, 1 worker, loopback`);
report.setting('undici', versionOf(join(import.meta.dirname, '..', 'node_modules', 'undici', 'package.json')));
report.setting('files', `${FILES} PDFs of log-normal size, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${AT_ONCE} at once`);
report.setting('written to', roomy ? '/dev/shm (memory); the disk is measured apart' : tmpdir());
report.setting('rounds', `${ROUNDS}, in turns; CPU seconds are compared round by round, the median counts`);
report.setting(
  'ours',
  'queue, resolvers, guard, robots, pace, sniffer, sha256, .part, fsync, rename, manifest rows, reports',
);
report.setting('bare limit', 'undici dispatch, sha256, .part, rename; no fsync, no queue, no manifest');
if (server.name.startsWith('Node'))
  report.note(
    'NGINX IS NOT INSTALLED (Debian: apt install nginx-light): served by a small Node server, which is slower',
  );

const usages = new Map<string, Usage[]>();

interface Given {
  readonly where?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** Runs a side in a process of its own. */
async function side(name: string, subject: string, files: number, given: Given = {}): Promise<Usage> {
  report.progress(`${subject}: ${files} files`);
  const out = join(given.where ?? folder, 'out');
  try {
    const program = join(import.meta.dirname, 'download', 'side.ts');
    const words = [name, String(server.port), String(files), String(AT_ONCE), out];
    const { stdout } = await run(process.execPath, [...(given.node ?? []), program, ...words], {
      // Crawlee leaves its state where it is started, even with its storage in memory.
      cwd: folder,
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Usage;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function keep(subject: string, usage: Usage): void {
  usages.set(subject, [...(usages.get(subject) ?? []), usage]);
}

const of = (subject: string, pick: (usage: Usage) => number): number[] => (usages.get(subject) ?? []).map(pick);

/** Round by round, so that a busy moment of the machine counts on both sides. */
function ratio(subject: string, to: string, pick: (usage: Usage) => number): number {
  const base = of(to, pick);
  return median(of(subject, pick).map((value, at) => value / (base[at] ?? Number.NaN)));
}

const havePeers = installPeers((text) => report.progress(text));
if (havePeers) report.setting('Crawlee', peerVersion('@crawlee/http'));
else report.missing('Crawlee could not be installed');
for (const tool of TOOLS) {
  const version = tool.version();
  if (version === undefined) report.note(`${tool.name.toUpperCase()} IS NOT INSTALLED and is left out`);
  else report.setting(tool.name, `${version}; ${tool.note}`);
}

for (let round = 0; round < ROUNDS; round += 1) {
  keep('bare limit', await side('bare', 'bare limit', FILES));
  keep('ours', await side('ours', 'ours', FILES));
  keep(CHECKED, await side('ours-inspect', CHECKED, FILES));
  if (!flags.quick)
    for (const [name, subject] of [
      ['bare', 'bare limit'],
      ['ours', 'ours'],
    ] as const)
      keep(`${subject}, ${YOUNG}`, await side(name, `${subject}, ${YOUNG}`, FILES, { node: [YOUNG] }));
  if (havePeers) keep(CRAWLEE, await side('crawlee', CRAWLEE, FILES));
  // Those without a target once.
  for (const tool of round > 0 ? [] : TOOLS) {
    if (tool.version() === undefined) continue;
    report.progress(`${tool.name}: ${FILES} files`);
    const out = join(folder, 'tool');
    keep(tool.name, await runTool(tool, { origin, files: FILES, atOnce: AT_ONCE, out }));
    rmSync(out, { recursive: true, force: true });
  }
}

for (const [subject, all] of usages) {
  const wall = median(all.map(({ wallSeconds }) => wallSeconds));
  report.add({
    measure: 'raw throughput',
    subject: `${subject} (${(FILES / wall).toFixed(0)} files/s, ${(corpus.bytes / wall / 1e6).toFixed(0)} MB/s, ${Math.max(...all.map(({ peakMegabytes }) => peakMegabytes)).toFixed(0)} MB RSS)`,
    value: median(all.map(({ cpuSeconds }) => cpuSeconds)),
    unit: 'CPU s',
    samples: all.map(({ cpuSeconds }) => cpuSeconds),
  });
}
report.add({
  measure: 'compared',
  subject: 'CPU seconds: ours / bare limit',
  value: ratio('ours', 'bare limit', ({ cpuSeconds }) => cpuSeconds),
  unit: '×',
  target: { atMost: 1.5 },
});
report.add({
  measure: 'compared',
  subject: 'wall seconds: ours / bare limit',
  value: ratio('ours', 'bare limit', ({ wallSeconds }) => wallSeconds),
  unit: '×',
});
report.add({
  measure: 'compared',
  subject: 'peak memory of ours',
  value: Math.max(...of('ours', ({ peakMegabytes }) => peakMegabytes)),
  unit: 'MB',
  target: { below: 300 },
});
/** Of the process and of those it started: where the identity check needs an engine, that has a process of its own. */
const allCpu = ({ cpuSeconds, childCpuSeconds }: Usage): number => cpuSeconds + childCpuSeconds;
if (usages.has(CRAWLEE)) {
  report.add({
    measure: 'compared',
    subject: `CPU seconds of ${CRAWLEE}, which checks nothing, over those of ours with everything on, the identity check included`,
    value: 1 / ratio(CHECKED, CRAWLEE, allCpu),
    unit: '×',
    target: { atLeast: 2 },
  });
  report.add({
    measure: 'compared',
    subject: `the same of ours without the identity check (wall clock ${(1 / ratio('ours', CRAWLEE, ({ wallSeconds }) => wallSeconds)).toFixed(2)})`,
    value: 1 / ratio('ours', CRAWLEE, allCpu),
    unit: '×',
  });
}
report.add({
  measure: 'identity check (the PDF engine in a separate process)',
  subject: 'added by it, per file',
  value: (median(of(CHECKED, allCpu).map((all, at) => all - (of('ours', allCpu)[at] ?? Number.NaN))) / FILES) * 1000,
  unit: 'ms CPU',
});

const synced = await side('bare-sync', 'bare limit, fsync of each file', DISK_FILES, { where: disk });
const durable = await side('ours', 'ours on the disk', DISK_FILES, { where: disk });
report.add({
  measure: `on the disk, ${DISK_FILES} files, everything synced`,
  subject: 'wall seconds: ours / bare limit with an fsync of each file',
  value: durable.wallSeconds / synced.wallSeconds,
  unit: `× (${durable.wallSeconds.toFixed(1)} s, ${synced.wallSeconds.toFixed(1)} s)`,
});

await measurePoliteMix(report, flags, folder);
report.finish();
