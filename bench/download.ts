// Takes papers from a static server to the disk: the whole pipeline beside the bare limit and the downloaders people use.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { corpusSizes, writeCorpus } from './download/corpus.ts';
import { measurePoliteMix } from './download/polite.ts';
import { serveFolder } from './download/static-server.ts';
import { runTool, SCRAPY, TOOLS } from './download/tools.ts';
import type { Usage } from './download/usage.ts';
import { parseFlags } from './kit/flags.ts';
import { installPeers, peerVersion } from './kit/peers.ts';
import { BenchReport, median, versionOf } from './kit/report.ts';

const run = promisify(execFile);
const flags = parseFlags();
const report = new BenchReport('download', flags);

const FILES = flags.quick ? 300 : 3_000;
const ROUNDS = flags.quick ? 2 : 3;
const DISK_FILES = flags.quick ? 40 : 300;
const INSPECTED_FILES = flags.quick ? 60 : 500;
const AT_ONCE = 64;
/** Dead chunks leave with young collections, which are cheap; with a large young space full ones come first. */
const YOUNG = '--max-semi-space-size=4';
const CRAWLEE = 'Crawlee FileDownload';
/** Wall seconds over the bare limit's where the peer was measured on another machine and cannot be installed here. */
const MEASURED_ELSEWHERE: Readonly<Record<string, number>> = { [CRAWLEE]: 3.0, [SCRAPY]: 3.4 };

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
else report.note('CRAWLEE COULD NOT BE INSTALLED: its figure is what was measured elsewhere');
for (const tool of TOOLS) {
  const version = tool.version();
  if (version === undefined) report.note(`${tool.name.toUpperCase()} IS NOT INSTALLED and is left out`);
  else report.setting(tool.name, `${version}; ${tool.note}`);
}

for (let round = 0; round < ROUNDS; round += 1) {
  keep('bare limit', await side('bare', 'bare limit', FILES));
  keep('ours', await side('ours', 'ours', FILES));
  if (!flags.quick)
    for (const [name, subject] of [
      ['bare', 'bare limit'],
      ['ours', 'ours'],
    ] as const)
      keep(`${subject}, ${YOUNG}`, await side(name, `${subject}, ${YOUNG}`, FILES, { node: [YOUNG] }));
  // The slow ones once: they are many times away from their targets.
  if (round > 0) continue;
  if (havePeers) keep(CRAWLEE, await side('crawlee', CRAWLEE, FILES));
  for (const tool of TOOLS) {
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
for (const peer of [CRAWLEE, SCRAPY]) {
  const measured = usages.has(peer);
  const ours = ratio('ours', 'bare limit', ({ wallSeconds }) => wallSeconds);
  const theirs = measured
    ? ratio(peer, 'bare limit', ({ wallSeconds }) => wallSeconds)
    : (MEASURED_ELSEWHERE[peer] ?? Number.NaN);
  report.add({
    measure: 'compared',
    subject: `as fast as ${peer}${measured ? '' : ' as measured elsewhere, both against the bare limit'}`,
    value: theirs / ours,
    unit: '×',
    target: { atLeast: 2 },
  });
}

const plain = await side('ours', 'ours without identity check', INSPECTED_FILES);
const checked = await side('ours-inspect', 'ours with identity check', INSPECTED_FILES);
const each = (value: number): number => (value / INSPECTED_FILES) * 1000;
report.add({
  measure: 'identity check (PDFs are opened in a process of their own)',
  subject: 'transfer without it, per file',
  value: each(plain.cpuSeconds),
  unit: 'ms CPU',
});
report.add({
  measure: 'identity check (PDFs are opened in a process of their own)',
  subject: 'added by it, per file',
  value: each(checked.cpuSeconds + checked.childCpuSeconds - plain.cpuSeconds),
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
