import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { manifestRow } from '../../src/download/index.ts';
import { ManifestFolder } from '../../src/run/index.ts';
import { chunkItem, chunkOutput, DOCTAGS_FOLDER, openTokenizer, writeBlockLines } from '../../src/parse/index.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';
import type { CorpusServer, ServerOptions } from '../../src/serve/index.ts';
import { openServer } from '../../src/serve/index.ts';
import { Records } from '../../src/database/index.ts';
import { emptyRecord, NO_IDS, workFromIds } from '../../src/works/index.ts';

/** A title that tries to be taken for markup. */
export const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202E';
export const TOKEN = 'a-token-for-tests-only';

const LICENCES = ['cc-by', null, 'cc0'] as const;

/** Writes the rows of a run, in which every third work is not available. */
export async function writeWorks(folder: string, from: number, to: number): Promise<void> {
  {
    using records = Records.open(folder);
    records.add(
      Array.from({ length: to - from }, (_, at) => {
        const number = from + at;
        return {
          ...emptyRecord(`W${number}`, { openalex: `W${number}`, doi: `10.1000/w${number}` }),
          title: number === 0 ? HOSTILE : `On réefs, part ${number}`,
          authors: [{ name: 'Ana Berg', family: 'Berg', given: 'Ana', orcid: null, institutions: [] }],
          date: String(2000 + (number % 20)),
          type: number % 2 === 0 ? 'article' : 'preprint',
          license: LICENCES[number % 3] ?? null,
          citedBy: number,
        };
      }),
    );
  }
  await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  for (let number = from; number < to; number += 1) await manifest.write(rowOf(number));
}

function rowOf(number: number): ManifestRow {
  const work = workFromIds({ ...NO_IDS, openalex: `W${number}` });
  if (!work) throw new Error('no work');
  const lost = { kind: 'failed', reason: number % 2 === 0 ? 'no-plan' : 'paywalled', detail: null } as const;
  const at = { startedAt: number * 1000, endedAt: number * 1000 + 500 };
  const row = manifestRow({ work, outcome: lost, attempts: [], problems: [], asked: [], ...at }, 'r');
  return number % 3 === 2
    ? row
    : { ...row, outcome: 'saved', reason: 'success', path: `PDF/W${number}.pdf`, kind: 'pdf', bytes: 7 };
}

/** Writes a run of nine works with one parsed, searchable document, and a queue of four jobs. */
export async function writeSmallRun(folder: string): Promise<void> {
  mkdirSync(join(folder, 'PDF'), { recursive: true });
  mkdirSync(join(folder, 'Data', DOCTAGS_FOLDER), { recursive: true });
  mkdirSync(join(folder, 'Data', 'Manifests'), { recursive: true });
  await writeWorks(folder, 0, 9);
  writeFileSync(join(folder, 'PDF', 'W0.pdf'), '%PDF-1');
  const box = { left: 0, top: 0, right: 9, bottom: 9 };
  const blocks = [
    { order: 0, kind: 'title' as const, text: HOSTILE, regions: [{ page: 1, box }] },
    { order: 1, kind: 'text' as const, text: 'Corals bleach when it is hot for long.', regions: [{ page: 1, box }] },
  ];
  const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
  const metadata = { authors: [], needsOcr: [], quality };
  const pages = [{ number: 1, width: 600, height: 800 }];
  writeFileSync(join(folder, 'Data', DOCTAGS_FOLDER, 'W0.jsonl'), writeBlockLines({ pages, blocks, metadata }));
  const tokenizer = await openTokenizer('cl100k');
  const options = { maxTokens: 64, minTokens: 8, overlapTokens: 0 };
  const output = chunkOutput(join(folder, 'Data'), 'W0', 'jsonl');
  await chunkItem({ id: 'W0', document: { blocks, metadata }, output, tokenizer, options });
  for (const stage of ['doctags', 'chunk']) {
    const row = { stage, doc_id: 'W0', status: 'success', duration_s: 1, finished_at: '2026-01-01T00:00:00.000Z' };
    writeFileSync(join(folder, 'Data', 'Manifests', `docparse.${stage}.manifest.jsonl`), `${JSON.stringify(row)}\n`);
  }
  await using queue = new WorkQueue(await openStore(join(folder, 'queue.sqlite')));
  for (const id of ['W0', 'W1', 'W2', 'W3'])
    await queue.enqueue(id, { id, title: HOSTILE, url: 'https://a.example/x' });
  const [job] = await queue.lease('me', 1);
  if (job) await queue.ack(job, 'error', { code: 'HTTP_404', message: 'not there' });
}

/** Serves such a folder on a free port. */
export async function openSmallServer(folder: string, more: Partial<ServerOptions> = {}): Promise<CorpusServer> {
  const settings = { parse: { format: 'jsonl', data_root: join(folder, 'Data') } } as const;
  const corpus = await openCorpus(folder, { settings });
  await Array.fromAsync(corpus.index());
  return await openServer({
    runs: [{ id: 'small', corpus }],
    queue: new WorkQueue(await openStore(join(folder, 'queue.sqlite'))),
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    version: 'test',
    log: () => undefined,
    ...more,
  });
}

/** Sends a request with the token. */
export async function ask(
  server: CorpusServer,
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, ...init.headers };
  return await fetch(new URL(path, server.url), { redirect: 'manual', ...init, headers });
}
