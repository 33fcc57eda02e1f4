import { findSoftware } from '../../graph/index.ts';
import type { CellQuote, Facts } from '../cell.ts';
import type { PaperSentence } from './paper-sentences.ts';
import type { Stated } from './stated.ts';

/** The programs that the graph found in a paper. */
export function softwareOfGraph(facts: Facts): Stated | undefined {
  const names = new Map(facts.nodes.flatMap(({ id, kind, label }) => (kind === 'software' ? [[id, label]] : [])));
  const found = new Map<string, CellQuote | null>();
  for (const { kind, target, evidence } of facts.edges) {
    const name = names.get(target);
    if (kind !== 'uses' || name === undefined || found.has(name)) continue;
    const { place } = evidence;
    found.set(name, place.kind === 'text' ? { text: place.quote, page: place.page, passage: null, row: null } : null);
  }
  if (found.size === 0) return undefined;
  const quotes = [...found.values()].flatMap((quote) => quote ?? []);
  return {
    value: [...found.keys()].join('; '),
    quotes: [...new Map(quotes.map((each) => [each.text, each])).values()],
  };
}

/** The programs that sentences name, each with its version, for papers that the graph has not read. */
export function softwareIn(sentences: readonly PaperSentence[]): Stated | undefined {
  const read = sentences.filter(({ section }) => section !== 'references' && section !== 'introduction');
  const found = new Map<string, { readonly version: string | undefined; readonly quote: CellQuote }>();
  for (const { program, version, paragraph } of findSoftware(read.map(({ text }) => text))) {
    const known = found.get(program);
    const quote = read[paragraph]?.quote;
    if (quote && (!known || (known.version === undefined && version !== undefined)))
      found.set(program, { version, quote });
  }
  if (found.size === 0) return undefined;
  const names = [...found].map(([name, { version }]) => (version === undefined ? name : `${name} ${version}`));
  const quotes = new Map([...found.values()].map(({ quote }) => [quote.text, quote]));
  return { value: names.join('; '), quotes: [...quotes.values()] };
}
