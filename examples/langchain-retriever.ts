// A retriever for LangChain.js: npm install docstokg @langchain/core, and copy the class into your program.
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import type { Corpus, SearchRequest } from 'docstokg';
import { openCorpus } from 'docstokg';

/** Passages of a corpus for a question, best first. */
export class CorpusRetriever extends BaseRetriever {
  override lc_namespace = ['docstokg', 'retrievers'];
  readonly #corpus: Corpus;
  readonly #request: SearchRequest;

  constructor(corpus: Corpus, request: SearchRequest = { top: 5 }) {
    super();
    this.#corpus = corpus;
    this.#request = request;
  }

  override async _getRelevantDocuments(question: string): Promise<Document[]> {
    const hits = await this.#corpus.search(question, this.#request);
    return hits.map(({ passage: { id, document, title, headings, page, text }, work, fit, link }) => {
      const metadata = { document, title, headings, page, fit, source: link, doi: work?.doi, year: work?.year };
      return new Document({ id, pageContent: text, metadata });
    });
  }
}

if (import.meta.main) {
  const [folder = 'runs/my-papers', question = 'what is this about?'] = process.argv.slice(2);
  await using corpus = await openCorpus(folder);
  for (const { pageContent, metadata } of await new CorpusRetriever(corpus).invoke(question))
    console.log(`${metadata['title']}: ${pageContent}`);
}
