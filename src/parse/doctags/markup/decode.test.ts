import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileKind } from './decode.ts';
import { sniff } from './decode.ts';

const CASES: readonly (readonly [content: string, kind: FileKind])[] = [
  ['%PDF-1.7\n…', 'pdf'],
  ['\n\njunk before\n%PDF-1.4', 'pdf'],
  ['<!DOCTYPE html><html><body>x', 'html'],
  ['<html lang="en">', 'html'],
  ['<!-- c --><div>x</div>', 'html'],
  ['<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="http://www.w3.org/1999/xhtml">', 'html'],
  ['<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd" [<!ENTITY a "b">]><article>', 'jats'],
  ['<article xmlns:xlink="x" article-type="research-article"><front>', 'jats'],
  ['<article class="post"><h1>x</h1>', 'html'],
  ['<OAI-PMH><record><article><front>', 'jats'],
  ['<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0">', 'tei'],
  ['<?xml version="1.0"?><recipe/>', 'xml'],
  ['{"a": 1}', 'unknown'],
  ['plain words', 'unknown'],
  ['', 'unknown'],
];

for (const [content, kind] of CASES)
  test(`${JSON.stringify(content.slice(0, 50))} is ${kind}`, () => {
    assert.equal(sniff(Buffer.from(content)), kind);
  });

test('the kind of a file is detected with a byte order mark and in UTF-16', () => {
  assert.equal(sniff(Buffer.from('\uFEFF<?xml version="1.0"?><TEI>', 'utf8')), 'tei');
  assert.equal(sniff(Buffer.from('\uFEFF<html><body>', 'utf16le')), 'html');
});
