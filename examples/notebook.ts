// A notebook as a script, cell by cell:  node --conditions=docstokg-source examples/notebook.ts ./papers
// In a notebook with a JavaScript kernel each cell stands alone: everything it needs is a call on the corpus.
import { openCorpus } from 'docstokg';
import { chunkOutput, readChunks } from 'docstokg/parse';

// %% A corpus is a folder. Settings are those of docstokg.yaml and the environment; these stand over them.
await using corpus = await openCorpus('runs/notebook', { settings: { parse: { max_tokens: 128 } } });

// %% Run, and look at what happens: every event has a kind.
const events = new Map<string, number>();
for await (const event of corpus.run({ input: [process.argv[2] ?? 'papers'] })) {
  const name = event.kind === 'stage' ? `${event.stage} ${event.event.kind}` : event.kind;
  events.set(name, (events.get(name) ?? 0) + 1);
}
console.log(Object.fromEntries(events));

// %% What came of it.
const account = (await corpus.account())?.account;
console.log(account?.stages);

// %% Ask. By words alone here; without a mode, by words and meaning where there is a model.
const hits = await corpus.search('recovery of corals', { mode: 'lexical', top: 5 });
for (const { rank, score, passage } of hits) console.log(rank, score.toFixed(2), passage.title, passage.headings);

// %% The files are yours: chunks are Parquet or JSONL, and can be read as rows.
const { parse } = corpus.config;
for (const id of new Set(hits.map(({ passage }) => passage.document)))
  for await (const chunk of readChunks(chunkOutput(parse.data_root, id, parse.format)))
    console.log(id, chunk.tokens, chunk.text.slice(0, 60));
