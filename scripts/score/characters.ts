import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { openPdf } from '../../src/parse/doctags/engines/pdfium.ts';
import { parseMarkup } from '../../src/parse/doctags/parse-markup.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';
import type { ParsedDocument } from '../../src/parse/document.ts';

interface Compared<T> {
  readonly ours: T;
  readonly engine: T;
}

/** Character statistics of a paper. */
export interface CharacterScore {
  readonly id: string;
  readonly half: string;
  readonly words: number;
  /** Our words that the truth writes as two. */
  readonly glued: Compared<readonly string[]>;
  /** Pairs of our words that the truth writes as one. */
  readonly split: Compared<readonly string[]>;
  /** Micro signs and Greek mu. */
  readonly micro: Compared<number> & { readonly truth: number; readonly sample: readonly string[] };
  /** Non-ASCII characters of the truth that are missing in our text. */
  readonly symbols: Compared<number> & { readonly truth: number; readonly sample: string };
  /** Visible characters of the engine's text, outside pictures, that are missing in our blocks. */
  readonly lost: { readonly count: number; readonly sample: string };
  /** Characters of the engine's text that are invisible or duplicated on the page. */
  readonly unseen: number;
  /** Adjacent hyphens, or hyphens between spaces inside a word of the truth. */
  readonly hyphens: readonly string[];
  /** As counted in the sidecar. */
  readonly unmapped: number;
  readonly renamed: number;
  readonly perThousand: (count: number) => number;
}

/** Compares one paper; `path` has no extension. */
export async function scoreCharacters(path: string, half: string): Promise<CharacterScore> {
  const bytes = readFileSync(`${path}.pdf`);
  const document = await parsePdf(bytes);
  const ours = plain(textOf(document));
  const engine = await engineText(bytes, document);
  const truth = plain(truthText(path));
  const spoken = new Words(`${truth}\n${plain(blocksText(path))}`);
  const words = tokens(ours).length;
  const micro = (text: string): string[] => text.match(/μ/gu) ?? [];
  const missing = missingSymbols(truth, ours);
  const gone = lostCharacters(engine.seen, ours);
  return {
    id: basename(path),
    half,
    words,
    glued: { ours: spoken.glued(ours), engine: spoken.glued(engine.text) },
    split: { ours: spoken.split(ours), engine: spoken.split(engine.text) },
    micro: {
      ours: micro(ours).length,
      engine: micro(engine.text).length,
      truth: micro(truth).length,
      sample: contexts(truth, /μ/gu),
    },
    symbols: {
      ours: missing.count,
      engine: missingSymbols(truth, engine.text).count,
      truth: truth.replaceAll(/[\0-\x7f]/gu, '').length,
      sample: missing.sample,
    },
    lost: gone,
    unseen: engine.unseen,
    hyphens: contexts(ours, /\p{L}[-‐] ?[-‐]\p{L}|\p{L} ?[-‐] [-‐]|\p{L}-\p{L}+ - \p{L}/gu).filter(
      (each) => !truth.includes(each),
    ),
    unmapped: document.metadata.characters?.unmapped ?? 0,
    renamed: document.metadata.characters?.renamed ?? 0,
    perThousand: (count) => (1_000 * count) / Math.max(1, words),
  };
}

/** Totals per half. */
export function summariseCharacters(scores: readonly CharacterScore[]): Record<string, Record<string, number>> {
  const halves = Object.groupBy(scores, (score) => score.half);
  return Object.fromEntries(
    Object.entries({ ...halves, all: [...scores] }).map(([half, rows]) => {
      const sum = (value: (score: CharacterScore) => number): number =>
        rows.reduce((total, each) => total + value(each), 0);
      const words = sum((each) => each.words);
      const share = (value: (score: CharacterScore) => number): number =>
        Number(((1_000 * sum(value)) / words).toFixed(3));
      return [
        half,
        {
          papers: rows.length,
          words,
          glued: share((each) => each.glued.ours.length),
          gluedEngine: share((each) => each.glued.engine.length),
          worstGlued: Number(Math.max(...rows.map((each) => each.perThousand(each.glued.ours.length))).toFixed(2)),
          split: share((each) => each.split.ours.length),
          splitEngine: share((each) => each.split.engine.length),
          micro: sum((each) => each.micro.ours),
          microEngine: sum((each) => each.micro.engine),
          microTruth: sum((each) => each.micro.truth),
          lost: sum((each) => each.lost.count),
          unseen: sum((each) => each.unseen),
          symbolsMissing: sum((each) => each.symbols.ours),
          symbolsMissingEngine: sum((each) => each.symbols.engine),
          symbolsTruth: sum((each) => each.symbols.truth),
          hyphens: sum((each) => each.hyphens.length),
          unmapped: sum((each) => each.unmapped),
          renamed: sum((each) => each.renamed),
        },
      ];
    }),
  );
}

function textOf(document: ParsedDocument): string {
  return document.blocks
    .map((block) =>
      block.kind === 'table'
        ? block.table.cells.map((cell) => cell.text).join(' ')
        : block.kind === 'list_item'
          ? `${block.marker ?? ''} ${block.text}`
          : block.text,
    )
    .join('\n');
}

/** The publisher's text, or the annotated truth of a paper. */
function truthText(path: string): string {
  if (existsSync(`${path}.jats.xml`)) return textOf(parseMarkup(readFileSync(`${path}.jats.xml`)));
  return blocksText(path);
}

function blocksText(path: string): string {
  const truth = JSON.parse(readFileSync(`${path}.truth.json`, 'utf8')) as {
    blocks: { text?: string; table?: { rows: { text: string }[][] } }[];
    furniture?: (string | { text: string })[];
  };
  return [
    ...truth.blocks.map((block) =>
      block.table
        ? block.table.rows
            .flat()
            .map((cell) => cell.text)
            .join(' ')
        : (block.text ?? ''),
    ),
    ...(truth.furniture ?? []).map((each) => (typeof each === 'string' ? each : each.text)),
  ].join('\n');
}

/** The engine's text, and its visible part outside the pictures we found. */
async function engineText(
  bytes: Uint8Array,
  document: ParsedDocument,
): Promise<{ text: string; seen: string; unseen: number }> {
  using file = await openPdf(bytes);
  const texts: string[] = [];
  const seen: string[] = [];
  let unseen = 0;
  for (let number = 1; number <= file.pageCount; number += 1) {
    const pictures = document.blocks
      .filter((block) => block.kind === 'picture')
      .flatMap((block) => block.regions)
      .filter((region) => region.page === number);
    const plainText = file.plainText(number);
    const glyphs = file.readPage(number)?.glyphs ?? [];
    const places = new Set(glyphs.map((glyph) => placeOf(glyph.x, glyph.baseline)));
    const isShown = (x: number, y: number): boolean =>
      [-0.5, 0, 0.5].some((dx) => [-0.5, 0, 0.5].some((dy) => places.has(placeOf(x + dx, y + dy))));
    texts.push(plainText.map((each) => each.text).join(''));
    for (const { text, x, y } of plainText) {
      if (
        pictures.some(({ box }) => x >= box.left - 2 && x <= box.right + 2 && y >= box.top - 2 && y <= box.bottom + 2)
      )
        continue;
      if (isShown(x, y)) seen.push(text);
      else if (text.trim() !== '') unseen += 1;
    }
  }
  const text = texts.join('\n').replaceAll('\u0002', '\ufffe');
  return {
    text: plain(text.replaceAll(/\ufffe\r?\n?|(?<=[-\u2010])\u00ad/gu, '')),
    seen: plain(seen.join('')),
    unseen,
  };
}

/** Normalises compatibility forms, hyphens, quotes and Greek mu. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\u2010\u2011\u00ad]/gu, '-')
    .replaceAll(/[‘’ʼ′]/gu, "'")
    .replaceAll(/[“”″]/gu, '"')
    .replaceAll('µ', 'μ')
    .replaceAll(/[∼˜]/gu, '~')
    .replaceAll(/[∗＊]/gu, '*')
    .replaceAll(/[º˚∘◦]/gu, '°')
    .replaceAll('\u2206', 'Δ');
}

function placeOf(x: number, y: number): string {
  return `${Math.round(x)} ${Math.round(y)}`;
}

function tokens(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

class Words {
  readonly #single = new Set<string>();
  readonly #pairs = new Set<string>();

  constructor(truth: string) {
    const words = tokens(truth);
    words.forEach((word, index) => {
      this.#single.add(word);
      if (index > 0) this.#pairs.add(`${words[index - 1]} ${word}`);
    });
  }

  glued(text: string): string[] {
    return tokens(text).filter((word) => {
      if (word.length < 4 || this.#single.has(word)) return false;
      for (let cut = 1; cut < word.length; cut += 1)
        if (this.#pairs.has(`${word.slice(0, cut)} ${word.slice(cut)}`)) return true;
      return false;
    });
  }

  split(text: string): string[] {
    const found: string[] = [];
    for (const match of text.toLowerCase().matchAll(/(?<=^|[\s(])(\p{L}+) (?=(\p{L}+)\b)/gu)) {
      const [, before = '', after = ''] = match;
      if (
        before.length + after.length >= 4 &&
        this.#single.has(before + after) &&
        !this.#pairs.has(`${before} ${after}`) &&
        (!this.#single.has(before) || !this.#single.has(after))
      )
        found.push(`${before} ${after}`);
    }
    return found;
  }
}

function counts(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const character of text)
    if (!/[\s\p{C}]/u.test(character)) found.set(character, (found.get(character) ?? 0) + 1);
  return found;
}

function difference(of: Map<string, number>, without: Map<string, number>): { count: number; sample: string } {
  const left = [...of]
    .map(([character, count]) => [character, count - (without.get(character) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
  return {
    count: left.reduce((sum, [, count]) => sum + count, 0),
    sample: left
      .slice(0, 24)
      .map(([character, count]) => `${character}×${count}`)
      .join(' '),
  };
}

function missingSymbols(truth: string, text: string): { count: number; sample: string } {
  const outside = counts(truth.replaceAll(/[\0-\x7f]/gu, ''));
  return difference(outside, counts(text));
}

function lostCharacters(engine: string, ours: string): { count: number; sample: string } {
  return difference(counts(engine), counts(ours));
}

function contexts(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) =>
    text.slice(Math.max(0, match.index - 12), match.index + match[0].length + 10).replaceAll('\n', ' '),
  );
}
