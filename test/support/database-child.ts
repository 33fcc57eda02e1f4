// A process of `npm run verify:database`, which is killed at a random moment: `ingest` changes documents and their passages in
// the index, `ask` writes notes and asks. It prints a line for everything that was acknowledged.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, relative } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import { chunkItem, chunkOutput, embedOutput, openTokenizer, readChunkPassages } from '../../src/parse/index.ts';
import { openVectorWriter } from '../../src/parse/embed/vector-file.ts';
import type { SearchSession } from '../../src/library/index.ts';
import { FleetIndex, openStored } from '../../src/run/index.ts';
import { openCorpusServer } from '../../src/run/queue/open-queue.ts';
import type { StormPlace } from './database-storm.ts';
import { JOINED, PASSAGES, stormConfig, stormSettings } from './database-storm.ts';

const [kind = '', given = ''] = process.argv.slice(2);
const place = JSON.parse(given) as StormPlace;
const runtime = { clock: systemClock, log: () => undefined };
const DENSE = { model: { name: 'storm', revision: '1', precision: 'fp32' }, dimensions: 4, type: 'float32' } as const;
const anyDocument = (): number => Math.floor(Math.random() * place.documents);
if (kind === 'ingest') await ingest();
else await ask();

async function ingest(): Promise<void> {
  const config = stormConfig(place);
  const { files } = await openStored(config, runtime);
  const connection = await openCorpusServer(config, runtime);
  const index = await FleetIndex.open({ connection, files, config, warn: () => undefined, joined: JOINED });
  const tokenizer = await openTokenizer('cl100k');
  const limits = { maxTokens: 64, minTokens: 1, overlapTokens: 0 };
  for (;;) {
    const number = anyDocument();
    const version = randomUUID().slice(0, 8);
    const blocks = Array.from({ length: PASSAGES }, (_, at) => [
      { order: 2 * at, kind: 'heading', level: 1, text: `Part ${at}`, regions: [] } as const,
      {
        order: 2 * at + 1,
        kind: 'text',
        text: `word${number}x is about mark${version}x and part ${at}. `.repeat(3),
        regions: [],
      } as const,
    ]).flat();
    const quality = { unmappedGlyphs: 0, columns: 1, confidence: 1 };
    const document = { pages: [], blocks, metadata: { authors: [], needsOcr: [], quality } };
    const id = `D${number}`;
    const output = chunkOutput(config.parse.data_root, id, 'jsonl');
    mkdirSync(dirname(output), { recursive: true });
    await chunkItem({ id, document, output, tokenizer, options: limits });
    const vectors = embedOutput(config.parse.data_root, id, 'jsonl');
    mkdirSync(dirname(vectors), { recursive: true });
    const writer = await openVectorWriter(vectors, { dense: DENSE });
    let passage = 0;
    for await (const chunk of readChunkPassages(output)) {
      // Whole numbers: their sums are the same in any order.
      const dense = Float32Array.of(number, parseInt(version.slice(0, 4), 16), passage, 1);
      await writer.write({ id: chunk.id, document: id, index: passage++, dense, sparse: undefined });
    }
    await writer.finish();
    await files.save([output, vectors].map((path) => relative(place.folder, path)));
    await index.put(id);
    console.log(`put ${number}`);
  }
}

async function ask(): Promise<void> {
  await using corpus = await openCorpus(place.url, { settings: stormSettings(place), copy: place.folder });
  let session: SearchSession | undefined;
  const put = new Set<number>();
  for (;;) {
    const id = randomUUID();
    try {
      await corpus.saveNote({ id, work: 'W1', by: 'storm', text: 'a note' });
      console.log(`note ${id}`);
      session ??= await corpus.openSearch({ mode: 'lexical' });
      const number = anyDocument();
      const hits = await session.search(`word${number}x`, { top: 50 });
      const versions = new Set(hits.map(({ passage }) => /mark\w+/.exec(passage.text)?.[0]));
      const isWrong = hits.some(({ passage }) => passage.document !== `D${number}`);
      if (hits.length > 0) put.add(number);
      if (isWrong || versions.size > 1 || (put.has(number) && hits.length !== PASSAGES))
        console.log(
          `wrong ${number}: ${hits.length} passages of ${versions.size} versions${isWrong ? ', of others' : ''}`,
        );
      else console.log(`asked ${hits.length}`);
    } catch (error) {
      // The server was killed, or has no index yet: that is said, and asked again.
      console.log(`refused ${(error as { code?: string }).code ?? String(error)}`);
    }
  }
}
