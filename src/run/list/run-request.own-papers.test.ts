import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { findOwnPapers } from './run-request.ts';

const ARTICLE = `<!doctype html><html><head><title>Reefs</title></head><body><article><h1>Reefs</h1><p>${'Corals recover where fishing is banned. '.repeat(100)}</p></article></body></html>`;
const LOGIN =
  '<!doctype html><html><head><title>Sign in</title></head><body><form><input name="user"><input type="password" name="word"><button>Log in</button></form></body></html>';

test('papers are recognised by content; landing pages, copies and other files are skipped with the reason', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-own-'));
  const path = (...names: string[]): string => join(folder.path, ...names);
  mkdirSync(path('more', '.git'), { recursive: true });
  mkdirSync(path('run'));
  writeFileSync(path('article.pdf'), ARTICLE);
  writeFileSync(path('login.pdf'), LOGIN);
  writeFileSync(path('empty.pdf'), '');
  writeFileSync(path('notes.docx'), Buffer.from('PK\u0003\u0004 word processing'));
  writeFileSync(path('paper'), '%PDF-1.7\nsome paper\n%%EOF');
  writeFileSync(path('other.pdf'), '%PDF-1.7\nother body\n%%EOF');
  writeFileSync(path('more', 'paper (1).pdf'), '%PDF-1.7\nsome paper\n%%EOF');
  writeFileSync(path('more', '.git', 'hidden.pdf'), '%PDF-1.7\nhidden');
  writeFileSync(path('run', 'kept.pdf'), '%PDF-1.7\nwritten by the run itself');
  const { papers, skipped } = await findOwnPapers([folder.path], path('run'));
  const named = (file: string): string => file.slice(folder.path.length + 1).replaceAll('\\', '/');
  assert.deepEqual(papers.map(named), ['article.pdf', 'more/paper (1).pdf', 'other.pdf']);
  assert.deepEqual(Object.fromEntries(skipped.map(({ file, reason }) => [named(file), reason])), {
    'empty.pdf': 'empty-body',
    'login.pdf': 'blocked-login',
    'notes.docx': 'wrong-kind',
    paper: 'copy',
  });
  assert.match(skipped.find(({ reason }) => reason === 'copy')?.detail ?? '', /the same bytes as .*paper \(1\)\.pdf$/);
  assert.match(skipped.find(({ reason }) => reason === 'wrong-kind')?.detail ?? '', /\.docx$/);
});
