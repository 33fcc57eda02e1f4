import { csvLine, foldCase, wordsIn } from '../../base/text/index.ts';
import { analyse, BM25 } from '../../parse/terms/index.ts';
import type { DocumentLine, Hits, List, Passages, ReportFacts, WholeWork, Work } from './answers.ts';
import type { Query, Source } from './source.ts';
import { address, Refusal } from './source.ts';

const FACETS = ['outcome', 'reason', 'licence', 'version', 'type'] as const;

/** Answers from the data in a report, which is filtered and searched here; undefined on a served page. */
export async function inlinedSource(): Promise<Source | undefined> {
  const blocks = Map.groupBy(
    document.querySelectorAll('script[data-path]'),
    (block) => block.getAttribute('data-path') ?? '',
  );
  if (!blocks.has('report')) return undefined;
  const once = new Map<string, Promise<unknown[]>>();
  const all = async <T>(path: string): Promise<T[]> => {
    if (!once.has(path)) once.set(path, Promise.all((blocks.get(path) ?? []).map(unpacked)));
    return (await once.get(path)) as T[];
  };
  const whole = async <T>(path: string): Promise<T> => {
    const [value] = await all<T>(path);
    if (value === undefined)
      throw new Refusal(404, { detail: 'not included in the report', hint: 'use docstokg serve to see it' });
    return value;
  };
  const facts = await whole<ReportFacts>('report');
  const works = async (): Promise<Work[]> => (await all<Work[]>('works')).flat();
  const documents = async (): Promise<DocumentLine[]> => (await all<DocumentLine[]>('documents')).flat();
  let index: Promise<Indexed[]> | undefined;
  const get = async (path: string, query: Query): Promise<unknown> => {
    const text = (name: string): string => String(query[name] ?? '');
    const [, , , list = '', id] = path.split('/');
    if (list === 'works' && id === undefined) return worksPage(await works(), text, Number(query['cursor'] ?? 0));
    if (list === 'works' && !blocks.has(path)) return undetailed(await works(), decodeURIComponent(id ?? ''));
    if (list === 'documents' && id === undefined) {
      const found = (await documents()).filter((line) => hasWords([line.id, line.title, line.authors], text('q')));
      return sliceOf(found, Number(query['cursor'] ?? 0));
    }
    if (list === 'search') {
      index ??= indexed(
        [...blocks.keys()].filter((each) => each.endsWith('/passages')),
        whole,
      );
      return hitsOf(await index, await documents(), text('question'), Number(text('top')) || 10);
    }
    return await whole(path.includes('/graph/picture') ? address(path, query) : path);
  };
  return {
    report: facts,
    get: async <T>(path: string, query: Query = {}) => (await get(path, query)) as T,
    file: (path) => {
      const [picture] = blocks.get(path) ?? [];
      return picture ? `data:image/png;base64,${picture.textContent}` : facts.files[path];
    },
    post: () => Promise.reject(noServer()),
    lines: () => Promise.reject(noServer()),
    on: () => () => undefined,
    onChange: () => () => undefined,
    exportCsv: async (query) => csvOf(filtered(await works(), (name) => String(query[name] ?? ''))),
  };
}

async function unpacked(block: Element): Promise<unknown> {
  const bytes = Uint8Array.from(atob(block.textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return await new Response(stream).json();
}

const PAGE = 50;

function sliceOf<T>(items: readonly T[], from: number): List<T> {
  const next = from + PAGE < items.length ? String(from + PAGE) : null;
  return { items: items.slice(from, from + PAGE), next, total: items.length };
}

/** Whether every word of the query is a prefix of a word in the texts. */
function hasWords(texts: readonly (string | null)[], q: string): boolean {
  const words = ` ${wordsIn(texts.join(' ')).join(' ')}`;
  return wordsIn(q).every((word) => words.includes(` ${word}`));
}

function filtered(works: readonly Work[], text: (name: string) => string): Work[] {
  const [from = '', to] = text('year')
    .split(/[-–]/, 2)
    .map((each) => each.trim());
  const [first, last] = [Number(from), Number((to ?? from) || 9_999)];
  const chosen = FACETS.flatMap((name) => (text(name) === '' ? [] : [[name, text(name).split(',')] as const]));
  return works.filter(
    (work) =>
      chosen.every(([name, values]) => values.includes(work[name] ?? 'none')) &&
      (text('year') === '' || ((work.year ?? 0) >= first && (work.year ?? 0) <= last)) &&
      hasWords([work.title, work.authors, work.venue, work.doi, work.id], text('q')),
  );
}

function worksPage(works: readonly Work[], text: (name: string) => string, from: number): List<Work> {
  const name = text('sort') as keyof Work;
  const sign = text('order') === 'desc' ? -1 : 1;
  const keyed = filtered(works, text).map(
    (work) => [typeof work[name] === 'number' ? work[name] : foldCase(String(work[name] ?? '')), work] as const,
  );
  const sorted = name ? keyed.toSorted(([a], [b]) => (a < b ? -sign : a > b ? sign : 0)) : keyed;
  return sliceOf(sorted.map(([, work]) => work), from); // prettier-ignore
}

/** A work whose details were left out of the report. */
function undetailed(works: readonly Work[], id: string): WholeWork {
  const work = works.find((each) => each.id === id);
  if (!work) throw new Refusal(404, { detail: 'this work is not included in the report' });
  return { abstract: null, url: null, apa: null, bibtex: null, file: false, history: [], ...work };
}

function hitsOf(index: readonly Indexed[], documents: readonly DocumentLine[], question: string, top: number): Hits {
  const unknown = { venue: null, doi: null, license: null, citation: null, bibtex: null, link: null };
  const defaults = { run: 'run', part: '', boxes: [], retracted: false };
  const passages = bestPassages(index, question, top).map(({ document, passage, score }, at) => {
    const line = documents.find((each) => each.id === document);
    return {
      ...unknown,
      ...defaults,
      found_by: 'words' as const,
      ...passage,
      rank: at + 1,
      fit: score,
      document,
      work: line?.work ?? document,
      title: line?.title ?? '',
      by: line?.authors ?? '',
      year: line?.year ?? null,
    };
  });
  return { question, searched_by: 'words', passages_searched: index.length, works_screened_out: 0, passages };
}

const CSV_COLUMNS = ['id', 'doi', 'title', 'authors', 'year', 'venue', 'outcome', 'reason', 'resolver', 'licence', 'bytes', 'retracted'] as const; // prettier-ignore

function csvOf(works: readonly Work[]): string {
  const rows = works.map((work) => CSV_COLUMNS.map((name) => work[name]));
  return [CSV_COLUMNS, ...rows].map((cells) => csvLine(cells)).join('');
}

function noServer(): Refusal {
  return new Refusal(405, { detail: 'a report has no controls', hint: 'use docstokg serve' });
}

const DOCUMENTS_AT_A_TIME = 10;

interface Indexed {
  readonly document: string;
  readonly passage: Passages['items'][number];
  /** How often each term occurs in it. */
  readonly times: ReadonlyMap<string, number>;
  readonly length: number;
}

async function indexed(paths: readonly string[], whole: (path: string) => Promise<Passages>): Promise<Indexed[]> {
  const index: Indexed[] = [];
  for (const [at, path] of paths.entries()) {
    const document = decodeURIComponent(path.split('/').at(-2) ?? '');
    for (const passage of (await whole(path)).items) {
      const terms = analyse(`${passage.context}\n${passage.text}`);
      const times = new Map<string, number>();
      for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
      index.push({ document, passage, times, length: terms.length });
    }
    // Yield to the browser.
    if (at % DOCUMENTS_AT_A_TIME === 0) await new Promise((resume) => setTimeout(resume));
  }
  return index;
}

/** The passages with the highest BM25 scores, with the same terms and weights as the index of `docstokg search`. */
function bestPassages(index: readonly Indexed[], query: string, top: number): (Indexed & { readonly score: number })[] {
  const average = index.reduce((sum, { length }) => sum + length, 0) / index.length || 1;
  const terms = [...new Set(analyse(query))].map((term) => {
    const holding = index.filter(({ times }) => times.has(term)).length;
    return { term, rarity: Math.log(1 + (index.length - holding + 0.5) / (holding + 0.5)) };
  });
  const scored = index.map((indexed) => {
    const norm = BM25.k1 * (1 - BM25.b + (BM25.b * indexed.length) / average);
    const scores = terms.map(({ term, rarity }) => {
      const count = indexed.times.get(term) ?? 0;
      return (rarity * count * (BM25.k1 + 1)) / (count + norm);
    });
    return { ...indexed, score: scores.reduce((sum, each) => sum + each, 0) };
  });
  const found = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return found.slice(0, top);
}
