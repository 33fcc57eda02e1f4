import { readFileSync } from 'node:fs';

import { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

import { modelTokenizerPath } from '../src/parse/chunk/tokenizer.ts';
import { chunkDocument, flowOf, openTokenizer } from '../src/parse/index.ts';
import { papers } from '../test/fixtures/papers.ts';
import type { Figure } from './measure.ts';
import { cpuSeconds, quick, report } from './measure.ts';

// Chunking, exact counts included, against the bare tokenizer that only counts the same text once.
const options = { maxTokens: 256, minTokens: 64, overlapTokens: 0 };
const documents = papers(quick ? 40 : 130);
const texts = documents.map((document) => flowOf(document).text);
const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;

const json = JSON.parse(readFileSync(modelTokenizerPath(), 'utf8')) as Record<string, unknown>;
delete json['truncation'];
delete json['padding'];
const model = new JsonTokenizer(json, {});
const peers = {
  model: (text: string) => model.encode(text, { add_special_tokens: false }).ids.length,
  cl100k: (text: string) => countCl100k(text),
  o200k: (text: string) => countO200k(text),
};

const figures: Figure[] = [];
for (const [name, count] of Object.entries(peers)) {
  const tokenizer = await openTokenizer(name);
  // Both sides warm their code on a tenth; then they take turns, so that a noisy moment hits both.
  const warm = Math.ceil(documents.length / 10);
  for (const text of texts.slice(0, warm)) count(text);
  for (const document of documents.slice(0, warm)) chunkDocument('warm', document, tokenizer, options);
  let bare = 0;
  let ours = 0;
  let chunks = 0;
  for (const [at, document] of documents.entries()) {
    bare += await cpuSeconds(() => count(texts[at] ?? ''));
    ours += await cpuSeconds(() => (chunks += chunkDocument(`paper ${at}`, document, tokenizer, options).length));
  }
  figures.push(
    { name: `${name}: bare tokenizer`, value: megabytes / bare, unit: 'MB per CPU s' },
    { name: `${name}: chunking`, value: megabytes / ours, unit: 'MB per CPU s' },
    { name: `${name}: chunking / bare tokenizer`, value: bare / ours, unit: 'times', atLeast: 0.5 },
    {
      name: `${name}: papers of ${Math.round((megabytes / documents.length) * 1000)} kB`,
      value: (60 * documents.length) / ours,
      unit: 'per CPU minute',
    },
    { name: `${name}: chunks`, value: chunks, unit: '' },
  );
}
report('chunk', { ...options, papers: documents.length, megabytes: Number(megabytes.toFixed(1)) }, figures);
