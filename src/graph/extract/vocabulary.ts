import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';

import type { Reading, Statements } from './reading.ts';
import { AppError, foldCase } from '../../base/index.ts';
import { readCsv } from '../../works/index.ts';

export interface VocabularyEntry {
  readonly id: string;
  readonly name: string;
  readonly synonyms: readonly string[];
}

const MOST_PLACES = 3;
const MOST_WORDS = 8;

/** A vocabulary prepared for search; the longest match wins. */
export class Vocabulary {
  readonly #byWords = new Map<string, VocabularyEntry>();
  #longest = 1;

  constructor(entries: Iterable<VocabularyEntry>) {
    for (const entry of entries)
      for (const name of [entry.name, ...entry.synonyms]) {
        const words = wordsOf(name).map(({ folded }) => folded);
        if (words.length === 0 || words.length > MOST_WORDS || words.join('').length < 2) continue;
        const key = words.join(' ');
        // If two entries share a name, the first has it.
        if (!this.#byWords.has(key)) this.#byWords.set(key, entry);
        this.#longest = Math.max(this.#longest, words.length);
      }
  }

  get size(): number {
    return this.#byWords.size;
  }

  /** The entry that has this name as a whole. */
  named(text: string): VocabularyEntry | undefined {
    return this.#byWords.get(
      wordsOf(text)
        .map(({ folded }) => folded)
        .join(' '),
    );
  }

  find(text: string): { readonly entry: VocabularyEntry; readonly start: number; readonly end: number }[] {
    const words = wordsOf(text);
    const found: { entry: VocabularyEntry; start: number; end: number }[] = [];
    for (let at = 0; at < words.length; at += 1)
      for (let count = Math.min(this.#longest, words.length - at); count > 0; count -= 1) {
        const run = words.slice(at, at + count);
        const entry = this.#byWords.get(run.map(({ folded }) => folded).join(' '));
        // Only a space or a hyphen separates the words of a name.
        if (
          !entry ||
          !run.every(
            ({ start }, each) => each === 0 || /^[\s\u00ad‐-]{1,2}$/.test(text.slice(run[each - 1]?.end, start)),
          )
        )
          continue;
        found.push({ entry, start: run[0]?.start ?? 0, end: run.at(-1)?.end ?? 0 });
        at += count - 1;
        break;
      }
    return found;
  }
}

/** Words in lower case without a plural s. */
function wordsOf(text: string): { readonly folded: string; readonly start: number; readonly end: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}+]*/gu)].map((match) => ({
    folded: foldCase(match[0]).replace(/(?<=[a-z]{3}[^s])s$/, ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export function extractVocabulary(reading: Reading, say: Statements, vocabulary: Vocabulary): void {
  const times = new Map<string, number>();
  for (const { block, section } of reading.prose)
    for (const { entry, start, end } of vocabulary.find(block.text)) {
      const count = (times.get(entry.id) ?? 0) + 1;
      times.set(entry.id, count);
      const sentence = count > MOST_PLACES ? undefined : reading.sentenceAt(block.order, start);
      if (!sentence) continue;
      const target = say.node('term', `vocabulary:${entry.id}`, entry.name, { data: { id: entry.id } });
      const detail = { at: start, printed: block.text.slice(start, end), section };
      say.edge({ kind: 'about', target }, sentence, VOCABULARY, detail);
    }
}

/** Joins entities to the entries that have their names, so that synonyms are one under the id of the vocabulary. */
export function identifyByVocabulary(say: Statements, vocabulary: Vocabulary): void {
  const labels = new Map(say.nodes.map(({ id, label }) => [id, label]));
  const joined = new Set<string>();
  const named = say.edges.filter(({ kind }) => kind === 'names');
  for (const { target, evidence } of named) {
    const [type = ''] = target.split(':');
    if (joined.has(target) || evidence.place.kind !== 'text') continue;
    const label = labels.get(target) ?? '';
    const entry = vocabulary.named(label);
    if (!entry) continue;
    joined.add(target);
    const term = say.node('term', `vocabulary:${entry.id}`, entry.name, { data: { id: entry.id, type } });
    say.edge({ source: target, kind: 'same_as', target: term }, evidence.place, VOCABULARY, {
      reason: 'the vocabulary has this name',
      name: label,
    });
  }
}

const VOCABULARY = { name: 'vocabulary', version: 1 };
const LARGEST_BYTES = 300_000_000;

/** Reads a vocabulary: a table (`id,name,synonym|synonym`), SKOS in Turtle, or OBO. */
export async function readVocabulary(path: string): Promise<VocabularyEntry[]> {
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined)
    throw new AppError('GRAPH_VOCABULARY_MISSING', `file not found: ${path}`, { hint: 'check the path' });
  if (size > LARGEST_BYTES)
    throw new AppError('GRAPH_VOCABULARY_LARGE', `${path} has ${size} bytes, more than ${LARGEST_BYTES}`, {
      hint: 'remove the terms you do not need',
    });
  const text = await readFile(path, 'utf8');
  const entries = await parseVocabulary(text, extname(path).toLowerCase());
  if (entries.length === 0)
    throw new AppError('GRAPH_VOCABULARY_EMPTY', `${path} has no entries`, {
      hint: 'use a table with the columns id and name, SKOS in Turtle (.ttl) or OBO (.obo)',
    });
  return entries;
}

export async function parseVocabulary(text: string, ending: string): Promise<VocabularyEntry[]> {
  if (ending === '.obo') return parseObo(text);
  return ending === '.ttl' ? parseTurtle(text) : await parseTable(text);
}

async function parseTable(text: string): Promise<VocabularyEntry[]> {
  const records = await Array.fromAsync(readCsv(Readable.from([Buffer.from(text)])), ({ fields = [] }) => fields);
  const rows = records.map((cells) => cells.map((cell) => cell.trim()));
  const columns = (rows[0] ?? []).map((name) => name.toLowerCase());
  const at = (...names: string[]): number => columns.findIndex((column) => names.includes(column));
  const id = at('id', 'identifier', 'uri', 'iri', 'curie');
  const name = at('name', 'label', 'term', 'preflabel', 'preferred label');
  const synonyms = at('synonyms', 'synonym', 'altlabel', 'aliases');
  // A plain list of terms has no header row.
  if (name < 0) return rows.flatMap(([term = '']) => (term === '' ? [] : [{ id: term, name: term, synonyms: [] }]));
  return rows.slice(1).flatMap((cells) => {
    const label = cells[name] ?? '';
    const others = (cells[synonyms] ?? '').split('|').map((each) => each.trim());
    if (label === '') return [];
    return [{ id: cells[id] || label, name: label, synonyms: others.filter((each) => each !== '') }];
  });
}

function parseObo(text: string): VocabularyEntry[] {
  return text
    .split(/^\[Term\]\s*$/m)
    .slice(1)
    .flatMap((stanza) => {
      const body = stanza.split(/^\[/m)[0] ?? '';
      if (/^is_obsolete:\s*true/m.test(body)) return [];
      const id = /^id:\s*(\S+)/m.exec(body)?.[1];
      const name = /^name:(.+)$/m.exec(body)?.[1]?.trim() ?? '';
      if (id === undefined || name === '') return [];
      return [
        {
          id,
          name,
          synonyms: [...body.matchAll(/^synonym:\s*"((?:[^"\\]|\\.)*)"/gm)].map((match) =>
            (match[1] ?? '').replace(/\\(.)/g, '$1'),
          ),
        },
      ];
    });
}

/** SKOS concepts of a Turtle file, with any prefixes and order of triples. */
function parseTurtle(text: string): VocabularyEntry[] {
  const prefixes = new Map(
    [...text.matchAll(/\bprefix\s+([\w-]*):\s*<([^<>]*)>/gi)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
  const names = new Map<string, { name?: string; english: boolean; synonyms: string[] }>();
  const tokens = text.matchAll(
    /<([^<>\s]*)>|"""((?:[^"\\]|\\.|"(?!""))*)(?:"""(?:@([\w-]+))?)?|"((?:[^"\\\n]|\\.)*)(?:"(?:@([\w-]+))?)?|((?<![\w-])[\w-]*:(?:[\w%-]|\.{1,8}(?=[\w%-]))+)|(\ba\b)|([.;,[\]])|#[^\n]*/g,
  );
  let subject: string | undefined;
  let predicate: string | undefined;
  for (const [, iri, long, longLanguage, short, shortLanguage, prefixed, isA, sign] of tokens) {
    const literal = long ?? short;
    if (sign === '.') subject = predicate = undefined;
    else if (sign === ';') predicate = undefined;
    else if (sign !== undefined) continue;
    else if (literal !== undefined) {
      if (subject === undefined || predicate === undefined) continue;
      const entry = names.get(subject) ?? { english: false, synonyms: [] };
      const name = literal.replace(/\\(.)/g, '$1');
      const language = longLanguage ?? shortLanguage ?? 'en';
      if (!/prefLabel$|#label$/.test(predicate)) {
        if (!/altLabel$|hiddenLabel$/.test(predicate)) continue;
        entry.synonyms.push(name);
      } else if (entry.name === undefined || (language.startsWith('en') && !entry.english)) {
        if (entry.name !== undefined) entry.synonyms.push(entry.name);
        Object.assign(entry, { name, english: language.startsWith('en') });
      } else entry.synonyms.push(name);
      names.set(subject, entry);
    } else {
      const [space = '', local = ''] = (prefixed ?? '').split(/:(.*)/s);
      const term = iri ?? (isA === undefined ? (prefixes.get(space) ?? `${space}:`) + local : 'a');
      if (prefixed === undefined && iri === undefined && isA === undefined) continue;
      if (subject === undefined) subject = term;
      else predicate ??= term;
    }
  }
  return [...names].flatMap(([id, { name, synonyms }]) => (name === undefined ? [] : [{ id, name, synonyms }]));
}
