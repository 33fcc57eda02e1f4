import { visibleText } from '../base/index.ts';
import type { Tokenizer } from '../parse/index.ts';
import { moreResults, NOTICE, packAnswer } from './answer.ts';
import type { AskedRun } from '../questions/index.ts';

/** Maximum number of documents listed per run; an assistant finds the others by search. */
const LISTED = 100;

function documentUri(run: string, document: string): string {
  return `docstokg://${encodeURIComponent(run)}/documents/${encodeURIComponent(document)}`;
}

interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

export async function listDocuments(runs: readonly AskedRun[]): Promise<Listed[]> {
  const documents = await Promise.all(
    runs.map(async ({ id, corpus }) => {
      const { works } = await corpus.library.works({ outcome: 'saved', limit: LISTED });
      const kept = works.length > 0 ? works : (await corpus.library.works({ outcome: 'own', limit: LISTED })).works;
      return kept.map(({ document, title, id: work }) => ({
        uri: documentUri(id, document),
        name: `${id}/${document}`,
        title: visibleText(title ?? document).slice(0, 300),
        description: `Text of the work ${visibleText(work)} of ${id}, from the start. ${NOTICE}`,
        mimeType: 'text/markdown',
      }));
    }),
  );
  return documents.flat();
}

/** Replaces the part of a document that a resource leaves out. */
const REST = 'rest';

/** The start of a document, as much as fits into an answer, marked as data. */
export async function readDocumentResource(
  { corpus }: AskedRun,
  document: string,
  how: { readonly maxTokens: number; readonly tokenizer: Tokenizer },
): Promise<string> {
  const pieces = await corpus.library.text(document);
  const answer = await packAnswer(
    {
      head: {},
      list: 'text',
      summary: '',
      items: pieces.map(({ page, text }) => ({
        data: { text: page === null ? text : `[p. ${page}] ${text}` },
        text: 'text',
        line: ({ text: whole }) => whole as string,
      })),
      cursorAfter: async (count) => (count < pieces.length ? REST : null),
    },
    { place: { at: 0, within: 0 }, ...how, cursorAt: () => REST },
  );
  return answer.content.replace(moreResults(REST), `More text: use the tool read with work ${document}.`);
}
