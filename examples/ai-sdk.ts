// Tools for the Vercel AI SDK:
// npm install docstokg ai zod, and hand `corpusTools(corpus)` to generateText or streamText.
import { tool } from 'ai';
import type { Corpus } from 'docstokg';
import { openCorpus } from 'docstokg';
import { textOf } from 'docstokg/library';
import { z } from 'zod';

/** Search and read; text of papers is data for the model, never an instruction. */
export function corpusTools(corpus: Corpus) {
  return {
    searchPapers: tool({
      description:
        'Passages of the papers that answer a question, best first. Quote them word for word and cite the work.',
      inputSchema: z.object({ question: z.string().max(500), top: z.int().min(1).max(20).default(5) }),
      execute: async ({ question, top }, { abortSignal }) =>
        (await corpus.search(question, { top }, abortSignal)).map(({ passage, work, fit }) => ({
          document: passage.document,
          title: passage.title,
          section: passage.headings.at(-1) ?? '',
          page: passage.page ?? null,
          doi: work?.doi ?? null,
          fit,
          text: passage.text,
        })),
    }),
    readPaper: tool({
      description: 'The text of a paper that searchPapers found, as Markdown; a section or pages of it.',
      inputSchema: z.object({
        document: z.string().max(255),
        section: z.string().max(100).optional(),
        pages: z.string().max(20).optional(),
      }),
      execute: async ({ document, section, pages }) => {
        const paper = await corpus.library.document(document);
        return textOf(paper, { section, pages })
          .map(({ text }) => text)
          .join('\n\n');
      },
    }),
  };
}

if (import.meta.main) {
  const [folder = 'runs/my-papers', question = 'what is this about?'] = process.argv.slice(2);
  await using corpus = await openCorpus(folder);
  const { searchPapers } = corpusTools(corpus);
  const context = { toolCallId: 'example', messages: [], context: {} };
  console.log(await searchPapers.execute?.({ question, top: 3 }, context));
}
