// A document loader for LangChain.js: npm install docstokg @langchain/core, and copy the class into your program.
import { BaseDocumentLoader } from '@langchain/core/document_loaders/base';
import { Document } from '@langchain/core/documents';
import type { Corpus } from 'docstokg';
import { openCorpus } from 'docstokg';
import { textOf } from 'docstokg/library';

/** The parsed text of every paper of a corpus, as Markdown. */
export class CorpusLoader extends BaseDocumentLoader {
  readonly #corpus: Corpus;

  constructor(corpus: Corpus) {
    super();
    this.#corpus = corpus;
  }

  override async load(): Promise<Document[]> {
    return await Array.fromAsync(this.lazyLoad());
  }

  /** One paper at a time, for corpora that do not fit in memory. */
  async *lazyLoad(): AsyncGenerator<Document> {
    const { library } = this.#corpus;
    let cursor: string | undefined;
    do {
      const { items, next } = await library.works({ limit: 100, cursor });
      for (const { document } of items) {
        if (document === null) continue;
        const paper = await library.document(document);
        const pageContent = textOf(paper)
          .map(({ text }) => text)
          .join('\n\n');
        yield new Document({ id: document, pageContent, metadata: { title: paper.title, doi: paper.doi } });
      }
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }
}

if (import.meta.main) {
  const [folder = 'runs/my-papers'] = process.argv.slice(2);
  await using corpus = await openCorpus(folder);
  for (const { metadata, pageContent } of await new CorpusLoader(corpus).load())
    console.log(`${metadata['title']}: ${pageContent.length} characters`);
}
