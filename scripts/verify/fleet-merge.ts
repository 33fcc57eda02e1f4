import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sha256 } from '../../src/base/index.ts';
import { Records } from '../../src/database/index.ts';
import type { WorkRecord } from '../../src/works/index.ts';
import { emptyRecord, NO_IDS } from '../../src/works/index.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { childrenCpuSeconds } from '../../test/support/fleet-scene.ts';
import { checkOptions } from '../../test/support/options.ts';

// node scripts/verify.ts fleet-merge [--works 100000] [--folders 4] [--seconds 60]
// Merges run folders of so many works with a file and a record each. Exit 1 where a work is missing or the merge takes more
// CPU seconds than allowed.

const { works, folders, seconds } = checkOptions({ works: 100_000, folders: 4, seconds: 60 });

await using temporary = await mkdtempDisposable(join(tmpdir(), 'docstokg-merge-'));
const names = Array.from({ length: folders }, (_, at) => `machine-${at + 1}`);
for (const [at, name] of names.entries()) write(join(temporary.path, name), at);
// As after downloads, which are synced.
execFileSync('sync');
let isGood = true;
for (const round of ['all works', 'again, nothing new']) {
  const before = childrenCpuSeconds();
  const startedAt = performance.now();
  await using merge = startCommand('docstokg', ['merge', ...names, '--out', 'merged', '--json'], {
    cwd: temporary.path,
  });
  const { code } = await merge.ended;
  if (code !== 0) throw new Error(`merge ended with ${code}: ${merge.stderr}`);
  const found = JSON.parse(merge.stdout) as { works: number; files: number; records: number };
  const cpu = childrenCpuSeconds() - before;
  if (found.works !== works) console.log(merge.stderr.slice(0, 1_000));
  if (found.works !== works || cpu > seconds) isGood = false;
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${round}: ${found.works} works, ${found.files} files, ${found.records} records; ${cpu.toFixed(1)} CPU s of ${seconds}, ${took} s`,
  );
}
process.exitCode = isGood ? 0 : 1;

/** A run folder with its part of the works, as a machine leaves it. */
function write(folder: string, part: number): void {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  const rows: string[] = [];
  const records: WorkRecord[] = [];
  for (let at = part; at < works; at += folders) {
    const name = `W${3_000_000_000 + at}`;
    const [title, doi] = [`A paper about the merging of folders, number ${at}`, `10.5555/merge.${at}`];
    const bytes = `%PDF-1.7 ${at} ${'the text of a paper '.repeat(50)}`;
    const file = { path: `PDF/${name}.pdf`, sha256: sha256(bytes), bytes: bytes.length, kind: 'pdf' };
    writeFileSync(join(folder, file.path), bytes);
    const moment = new Date(1_700_000_000_000 + at * 1_000).toISOString();
    const url = `https://journal-${at % 500}.example.org/articles/${at}.pdf`;
    const found = { resolver: 'unpaywall', url, final_url: url, license: 'cc-by', version: 'publishedVersion', host_type: 'publisher', same_as: null, terms: null, reason: 'success', detail: null }; // prettier-ignore
    const attempt = { ...found, chain: [{ url, status: 200 }], status: 200, bytes: bytes.length, sha256: file.sha256, kind: 'pdf', evidence: null, started_at: moment, duration_ms: 812 }; // prettier-ignore
    const failed = { ...attempt, resolver: 'openalex', url: `${url}?alt`, status: 404, bytes: 0, sha256: null, kind: null, reason: 'not-found' }; // prettier-ignore
    const row = { schema_version: 'contentdownload/1.0.0', run_id: `run-${part}`, at: moment, work: name, doi, title, outcome: 'saved', ...found, ...file, content_type: 'application/pdf', retry_at: null, duration_ms: 1_900, asked: ['openalex', 'unpaywall'], attempts: [failed, attempt], problems: [] }; // prettier-ignore
    rows.push(JSON.stringify(row));
    records.push({
      ...emptyRecord(name, { ...NO_IDS, doi, openalex: name }),
      title,
      type: 'article',
      date: `${2000 + (at % 25)}-05-17`,
      venue: `Journal ${at % 500}`,
      abstract: `${title}. ${'What the paper is about, in a sentence of some length. '.repeat(15)}`,
      authors: ['Ada', 'Ben', 'Cleo'].map((given) => ({ name: `${given} Author${at % 5_000}`, given, family: `Author${at % 5_000}`, orcid: null, institutions: [] })), // prettier-ignore
      references: Array.from({ length: 25 }, (_, each) => `W${3_000_000_000 + ((at * 31 + each * 977) % works)}`),
      citedBy: at % 90,
    });
  }
  writeFileSync(join(folder, 'manifest.jsonl'), `${rows.join('\n')}\n`);
  using kept = Records.open(folder);
  kept.add(records);
}
