import type { Block } from '../../../document.ts';
import { isAbstractHeading, isKeywords, isKeywordsLabel } from '../role/section-names.ts';

/** Labels of an abstract, as a heading and at the beginning of its first paragraph: English ones first. */
const LABELS = [
  {
    isHeading: (text: string) => /^(?:a ?b ?s ?t ?r ?a ?c ?t|summary)[.:]?$/iu.test(text),
    runIn: /^(?:abstract|summary)[\s.:—–-]+/iu,
  },
  { isHeading: isAbstractHeading, runIn: /^(?:zusammenfassung|résumé|resumen|resumo|riassunto|аннотация)[\s.:—–-]+/iu },
];
/** Parts of a structured abstract, as headings or at the beginning of its paragraphs. */
const PART =
  /^(?:background|introduction|objectives?|aims?|purpose|context|importance|rationale|hypothesis|questions?|(?:patients?|subjects?|materials?|design|participants?|settings?|study|data)(?:(?:,| and| &) (?:methods?|design|participants?|settings?)| design)?|methods?|methodology|approach|experimental|interventions?|measurements?|(?:main |primary )?(?:outcomes?|results?)|(?:principal |main |key )?findings|discussion|conclusions?|interpretation|significance|implications|limitations|relevance|funding|(?:clinical )?trial registration|registration|objetivos?|métodos?|resultados?|conclus(?:ão|ões|iones?|ión)|antecedentes|hintergrund|ziel|methoden?|ergebnisse|schlussfolgerung(?:en)?|contexte|objectifs?|méthodes?|résultats?)\b/iu;
/** Paragraphs between an abstract and the text. */
const IMPRINT =
  /^(?:\(?\p{L} ?(?:eceived|ccepted)|citation|cite (?:this|as)|how to cite|to cite|(?:academic |handling |supervising |section )?edit(?:or|ed)|reviewed by|copyright|©|\(c\)|\(?received|accepted|submitted|revised|published|publication history|available online|correspond|[*†‡∗✉]|e-?mail|doi\b|https?:|www\.|this (?:is an open|article (?:is|was)|work is)|author (?:affiliations?|contributions?)|full list of author|affiliations?|address|conflicts? of|competing|supplement|open access|pacs|jel)/iu;
const AFFILIATION = /^\d{1,2} ?\p{Lu}/u;
const KEYWORDS = /^(?:descriptors?|descritores|descriptores|abbreviations?|mesh|subject terms)\s*[:：—–-]/iu;
const INTRODUCTION =
  /^(?:[\dIVX]{1,3}[\s.|]*)?(?:introduction|background|einleitung|einführung|introducción|introdução|introduzione|введение|引言|서론)\.?$/iu;
/** Keywords that were not set apart. */
const TAIL =
  /\s(?:key ?-?words?(?: and phrases)?|index terms|palabras clave|palavras-chave|mots[ -]clés)[\s:—–-](?:(?!\.\s).){3,400}$/iu;
/** The first section, by its number; the words that an abstract over two pages has between them; other short texts. */
const FIRST_SECTION = /^(?:1|I)[.\s]\s*\p{Lu}/u;
const CONTINUED = { on: /^\(continued on next page\)$/iu, from: /^\(continued from previous page\)/iu };
const OTHER = /^(?:plain[ -]language summary|lay summary|key ?points|highlights|significance statement)\b/iu;
const LEAST = 80;
const LONGEST = 6_000;
/** Paragraphs without a label that are shorter are names and addresses. */
const LEAST_UNLABELLED = 250;
const SHORT_IMPRINT = 150;
/** The share of words with a capital in a text; German has many. */
const MOST_CAPITALS = 0.45;
const FIRST_BLOCKS = 100;

/** What follows a label; else the text before keywords or introduction; else a study's first paragraph. */
export function findAbstract(blocks: readonly Block[]): string | undefined {
  const first = blocks.slice(0, FIRST_BLOCKS);
  for (const label of LABELS)
    for (const [at, { kind, text }] of first.entries()) {
      const beside = kind === 'text' ? besideLabel(text, label.runIn) : '';
      const isHeading = (kind === 'heading' || kind === 'text') && label.isHeading(text.trim());
      if (!isHeading && beside.length < LEAST) continue;
      const found = joined(paragraphsFrom(blocks, at + 1, beside).texts);
      if (found !== undefined) return found;
    }
  const title = first.findIndex(({ kind }) => kind === 'title');
  for (const [at, block] of first.entries()) {
    if (at <= title || block.kind !== 'text' || !isProse(block.text)) continue;
    const before = blocks[at - 1];
    const isPart = partOf(block.text) !== undefined || (before?.kind === 'heading' && PART.test(before.text));
    const { texts, end } = paragraphsFrom(blocks, isPart && before?.kind === 'heading' ? at - 1 : at);
    if (!isPart && (texts.join(' ').length < LEAST_UNLABELLED || block.text.length < LEAST)) continue;
    if (isPart || end === 'keywords' || end === 'introduction') return joined(texts);
    // A paragraph that was cut goes on until a sentence ends.
    const last = texts.findIndex((text) => /[.!?]["”)\]]*$/u.test(text));
    return isStudy(blocks) ? joined(texts.slice(0, Math.max(1, last + 1))) : undefined;
  }
  return undefined;
}

/** The text behind a label; empty where a sentence begins with the word. */
function besideLabel(text: string, label: RegExp): string {
  const rest = text.slice(label.exec(text)?.[0].length ?? text.length);
  return /^\p{Ll}/u.test(rest) ? '' : rest;
}

/** A study has an abstract; a letter or an editorial has none. */
function isStudy(blocks: readonly Block[]): boolean {
  return blocks.some(
    ({ kind, text }) => kind === 'heading' && /\b(?:methods?|results|experimental|materials)\b/i.test(text),
  );
}

function partOf(text: string): string | undefined {
  return /^[^.]{3,60}[:.—–]/u.test(text) ? PART.exec(text)?.[0].toLowerCase() : undefined;
}

/** Whether a paragraph is text, and not names, addresses or the history of the paper. */
function isProse(text: string): boolean {
  if (IMPRINT.test(text) || AFFILIATION.test(text)) return false;
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return words.filter((word) => /^\p{Lu}/u.test(word)).length <= MOST_CAPITALS * words.length;
}

const FEWEST_PHRASES = 4;
const LONGEST_PHRASE = 50;

/** Keywords whose label is elsewhere: short phrases with signs between them. */
function isPhrases(text: string): boolean {
  const phrases = text.split(/[;·|•]/u);
  return phrases.length >= FEWEST_PHRASES && phrases.every(({ length }) => length < LONGEST_PHRASE);
}

function paragraphsFrom(
  blocks: readonly Block[],
  from: number,
  beside = '',
): { readonly texts: readonly string[]; readonly end: 'keywords' | 'introduction' | 'other' } {
  const texts: string[] = beside === '' ? [] : [beside];
  const parts = new Set<string>();
  let length = 0;
  let isOver = false;
  let isOnNextPage = false;
  for (const { kind, text } of blocks.slice(from)) {
    isOnNextPage = (isOnNextPage || CONTINUED.on.test(text)) && !CONTINUED.from.test(text);
    if (isOnNextPage || CONTINUED.from.test(text)) continue;
    if (kind !== 'heading' && kind !== 'title' && kind !== 'text' && kind !== 'list_item') continue;
    if (isKeywords(text) || isKeywordsLabel(text) || KEYWORDS.test(text) || isPhrases(text))
      return { texts, end: 'keywords' };
    const isFirst = INTRODUCTION.test(text.trim()) || (kind === 'heading' && FIRST_SECTION.test(text));
    if (isFirst && texts.length > 0) return { texts, end: 'introduction' };
    const isNext =
      OTHER.test(text) || isAbstractHeading(text) || LABELS.some(({ runIn }) => besideLabel(text, runIn) !== '');
    if (kind === 'title' || (texts.length > 0 && isNext)) return { texts, end: 'other' };
    if (kind === 'heading') {
      const name = PART.exec(text.trim())?.[0].toLowerCase();
      if (isOver || name === undefined || parts.has(name) || (texts.length > 0 && parts.size === 0))
        return { texts, end: 'other' };
      parts.add(name);
    } else if (!isProse(text)) isOver ||= texts.length > 0 && text.length > SHORT_IMPRINT;
    else if (!isOver) {
      const part = partOf(text);
      if (part !== undefined) parts.add(part);
      const kept = text.replace(TAIL, '');
      texts.push(kept);
      if (kept !== text) return { texts, end: 'keywords' };
      length += text.length;
      // No abstract is that long: the text follows without a heading.
      if (length > LONGEST) return { texts: texts.slice(0, 1), end: 'other' };
    }
  }
  return { texts, end: 'other' };
}

function joined(texts: readonly string[]): string | undefined {
  // A sentence that goes on in another column is one.
  const text = texts
    .join('\n')
    .replaceAll(/(?<=[\p{L}\d,])\n(?=\p{Ll})/gu, ' ')
    .trim();
  return text.length < LEAST ? undefined : text;
}
