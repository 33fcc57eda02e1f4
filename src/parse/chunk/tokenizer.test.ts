import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

import { randomDocument } from '../../../test/fixtures/random-document.ts';
import { flowOf } from './flow.ts';
import { modelTokenizerPath, openTokenizer, openJsonTokenizer } from './tokenizer.ts';

const texts = Array.from({ length: 25 }, (_, seed) => flowOf(randomDocument(1000 + seed)).text);
const plain = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

test('the piece cache gives the same counts as the plain GPT tokenizers', async () => {
  const cl100k = await openTokenizer('cl100k');
  const o200k = await openTokenizer('o200k');
  for (const text of texts) {
    assert.equal(cl100k.count(text), countCl100k(text, plain));
    assert.equal(o200k.count(text), countO200k(text, plain));
  }
});

test('the tokenizer of the model counts and encodes without truncation and padding', async () => {
  const json = JSON.parse(await readFile(modelTokenizerPath(), 'utf8')) as Record<string, unknown>;
  assert.ok(json['truncation'], 'the shipped file has truncation');
  delete json['truncation'];
  delete json['padding'];
  const bare = new JsonTokenizer(json, {});
  const tokenizer = await openJsonTokenizer(modelTokenizerPath());
  assert.equal(tokenizer.specials, 2);
  for (const text of texts) {
    const { ids } = bare.encode(text);
    assert.equal(tokenizer.count(text), ids.length - 2);
    assert.deepEqual(tokenizer.encode(text, 1_000_000), ids);
  }
  const short = tokenizer.encode('a very long text '.repeat(100), 16);
  assert.deepEqual([short.length, short[0], short.at(-1)], [16, 101, 102]);
});

test('any tokenizer.json can be given by file or folder; other files are refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
  try {
    await writeFile(join(folder, 'tokenizer.json'), await readFile(modelTokenizerPath()));
    const byFolder = await openTokenizer(folder);
    const byFile = await openTokenizer(join(folder, 'tokenizer.json'));
    assert.equal(byFolder.identity, byFile.identity);
    assert.equal(byFolder.count('two words'), 2);
    await writeFile(join(folder, 'broken.json'), '{"model":');
    await assert.rejects(openTokenizer(join(folder, 'broken.json')), { code: 'TOKENIZER_UNREADABLE' });
    await assert.rejects(openTokenizer(join(folder, 'absent.json')), { code: 'TOKENIZER_MISSING' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
