import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts, paragraphs, questions } from './facts.ts';
import { plainText } from './inline.ts';
import type { Paper } from './paper.ts';
import { sampleSpec } from '../../test/fixtures/sample-spec.ts';
import { writePaper } from './write-paper.ts';

const LANGUAGES = ['ru'];
const papers = Array.from({ length: 120 }, (_unused, index) => {
  const language = index % 10 === 9 ? LANGUAGES[Math.floor(index / 10) % LANGUAGES.length] : undefined;
  return writePaper(sampleSpec(index, { ...(language && { language }) }));
});
const floats = (paper: Paper, kind: string): number =>
  paper.sections.flatMap(({ blocks }) => blocks).filter((block) => block.kind === kind).length;

test('the same specification gives the same paper, and another seed a different one', () => {
  const spec = sampleSpec(3);
  assert.deepEqual(writePaper(spec), writePaper(spec));
  const text = (paper: Paper): string =>
    paragraphs(paper)
      .map(({ inlines }) => plainText(inlines))
      .join('\n');
  assert.notEqual(text(writePaper(spec)), text(writePaper({ ...spec, seed: 'other' })));
});

test('papers have 4 to 9 sections of 2 to 6 paragraphs, at most 3 tables and 2 figures, and some have none', () => {
  for (const paper of papers) {
    const counts = new Map<string, number>();
    for (const section of paper.sections) {
      const [chapter = ''] = section.number.split('.');
      const own = section.blocks.filter((block) => block.kind === 'paragraph').length;
      counts.set(chapter, (counts.get(chapter) ?? 0) + own);
    }
    assert.ok(counts.size >= 4 && counts.size <= 9, `${String(counts.size)} sections`);
    for (const count of counts.values()) assert.ok(count >= 2 && count <= 6, `${String(count)} paragraphs`);
    assert.ok(floats(paper, 'table') <= 3 && floats(paper, 'figure') <= 2);
  }
  for (const kind of ['table', 'figure', 'list', 'formula']) {
    assert.ok(
      papers.some((paper) => floats(paper, kind) > 0) && papers.some((paper) => floats(paper, kind) === 0),
      kind,
    );
  }
  assert.ok(papers.some((paper) => paper.sections.some(({ level }) => level === 2)));
  assert.ok(papers.some((paper) => paper.notes.length > 0));
});

test('every paragraph contains its planted sentence with nonce, value and entity', () => {
  for (const paper of papers) {
    for (const { inlines, fact } of paragraphs(paper)) {
      assert.ok(plainText(inlines).includes(fact.sentence), fact.sentence);
      for (const part of [fact.nonce, fact.value, ...fact.entities.map(({ name }) => name)]) {
        assert.ok(fact.sentence.includes(part), `${part} in ${fact.sentence}`);
      }
      assert.doesNotMatch(plainText(inlines), /[{}~^]|undefined/);
    }
  }
});

test('no two paragraphs of a world share a nonce, a question or an answer', () => {
  const all = papers.flatMap(questions);
  for (const key of ['nonce', 'question', 'answer'] as const) {
    assert.equal(new Set(all.map((entry) => entry[key])).size, all.length, key);
  }
  assert.ok(all.length > 1500, `${String(all.length)} questions`);
});

test('a nonce occurs in one paragraph of one work only', () => {
  const texts = papers.slice(0, 40).flatMap((paper) => paragraphs(paper).map(({ inlines }) => plainText(inlines)));
  const whole = texts.join('\n');
  for (const { nonce } of papers.slice(0, 40).flatMap(questions)) assert.equal(whole.split(nonce).length, 2, nonce);
});

test('a question contains the nonce but otherwise paraphrases the answer', () => {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{L}{5,}/gu) ?? []);
  let shared = 0;
  let total = 0;
  for (const { question, answer, nonce } of papers.flatMap(questions)) {
    assert.ok(question.includes(nonce), question);
    assert.notEqual(question, answer);
    const rest = words(question.replace(nonce, ''));
    const answerWords = words(answer.replace(nonce, ''));
    total += rest.size;
    shared += [...rest].filter((word) => answerWords.has(word)).length;
  }
  assert.ok(shared / total < 0.35, `${String(Math.round((100 * shared) / total))} % of the words are the same`);
});

test('entities recur across works, so that a knowledge graph has shared nodes', () => {
  const works = new Map<string, Set<string>>();
  for (const { entities, workId } of papers.flatMap(facts)) {
    for (const { name } of entities) works.set(name, (works.get(name) ?? new Set()).add(workId));
  }
  const shared = [...works.values()].filter((set) => set.size > 3).length;
  assert.ok(shared / works.size > 0.8, `${String(shared)} of ${String(works.size)}`);
});

test('no sentence is repeated in a paragraph', () => {
  for (const paper of papers) {
    for (const { inlines, id } of paragraphs(paper)) {
      const sentences = plainText(inlines).split(/(?<=[.?!:]) (?=\p{Lu})/u);
      assert.equal(new Set(sentences).size, sentences.length, `${paper.spec.workId} ${id}: ${plainText(inlines)}`);
    }
  }
});

test('tables tile their grid: every position is covered by exactly one cell', () => {
  let spans = 0;
  for (const { table } of papers.flatMap((paper) =>
    paper.sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'table')),
  )) {
    const covered = new Set<string>();
    for (const cell of table.cells) {
      if (cell.rowSpan > 1 || cell.columnSpan > 1) spans++;
      for (let row = cell.row; row < cell.row + cell.rowSpan; row++) {
        for (let column = cell.column; column < cell.column + cell.columnSpan; column++) {
          const key = `${String(row)},${String(column)}`;
          assert.ok(!covered.has(key), `${key} covered twice`);
          covered.add(key);
        }
      }
    }
    assert.equal(covered.size, table.rows * table.columns);
  }
  assert.ok(spans > 20, 'some cells span several rows or columns');
});

test('citations refer to the reference list, and tables and figures are introduced before they appear', () => {
  for (const paper of papers) {
    const inlines = paragraphs(paper).flatMap((paragraph) => paragraph.inlines);
    const cited = new Set(inlines.flatMap((inline) => (inline.kind === 'cite' ? inline.references : [])));
    for (const number of cited) assert.ok(number >= 1 && number <= paper.references.length);
    assert.ok(cited.size >= Math.min(paper.references.length, 6), `${String(cited.size)} cited`);
    for (const kind of ['table', 'figure', 'formula'] as const) {
      const pointed = inlines.filter((inline) => inline.kind === 'pointer' && inline.to === kind).length;
      assert.equal(pointed, floats(paper, kind), kind);
    }
  }
});

test('papers are written in the requested language, or in English without a grammar for it', () => {
  for (const language of LANGUAGES) assert.equal(writePaper(sampleSpec(1, { language })).language, language);
  assert.equal(writePaper(sampleSpec(1, { language: 'fi' })).language, 'en');
  assert.match(
    plainText(paragraphs(writePaper(sampleSpec(2, { language: 'ru' })))[0]?.inlines ?? []),
    /\p{Script=Cyrillic}{5}/u,
  );
});
