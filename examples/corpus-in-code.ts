// A corpus in ten lines:  node --conditions=docstokg-source examples/corpus-in-code.ts ./papers "do corals recover?"
// With { topic: 'coral bleaching' } in place of { input: [papers] } it finds and downloads the papers first.
import { openCorpus } from 'docstokg';

const [papers = 'papers', question = 'what is this about?'] = process.argv.slice(2);
await using corpus = await openCorpus('runs/my-papers');
for await (const event of corpus.run({ input: [papers] })) {
  if (event.kind === 'ended')
    console.log(`${event.account.documents} papers, ${event.account.index?.passages} passages`);
}
for (const { passage } of await corpus.search(question, { top: 3 })) console.log(`${passage.title}: ${passage.text}`);
