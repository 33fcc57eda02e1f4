import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rawText } from '../markup/node.ts';
import { XML_LIMITS } from '../markup/decode.ts';
import { parseXml } from './tree.ts';

const text = (xml: string): string => rawText(parseXml(Buffer.from(xml)));

test('predefined, numeric and named entities are decoded; entities defined in a DTD are unchanged', () => {
  assert.equal(
    text(
      '<!DOCTYPE a [<!ENTITY own "boom"><!ENTITY ext SYSTEM "file:///etc/passwd">]><a>&lt;&#x3bb;&alpha;&nbsp;&Oacute;&own;&ext;&constructor;</a>',
    ),
    '<λα\u00A0Ó&own;&ext;&constructor;',
  );
});

test('prefixes are dropped from names and attributes', () => {
  const root = parseXml(Buffer.from('<mml:math xmlns:mml="m" xlink:href="h" id="1" xml:id="2" __proto__="p"/>'));
  assert.equal(root.name, 'math');
  assert.equal(root.attributes['href'], 'h');
  assert.equal(root.attributes['id'], '1');
  assert.equal(({} as Record<string, unknown>)['p'], undefined);
});

test('broken, deeply nested and large files are coded errors', () => {
  assert.throws(() => text('<a><b></a>'), { code: 'PARSE_BROKEN' });
  assert.throws(() => text('no markup'), { code: 'PARSE_BROKEN' });
  assert.throws(() => text('<a>'.repeat(513)), { code: 'PARSE_TOO_DEEP' });
  assert.throws(() => parseXml(Buffer.from('<a/>'), { ...XML_LIMITS, maxBytes: 3 }), { code: 'PARSE_TOO_LARGE' });
  const attributes = Array.from({ length: 1_001 }, (_, index) => `a${index}="1"`).join(' ');
  assert.throws(() => text(`<a ${attributes}/>`), { code: 'PARSE_TOO_LARGE' });
});

test('the declared encoding is used', () => {
  assert.equal(rawText(parseXml(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', 'latin1'))), 'é');
  assert.equal(rawText(parseXml(Buffer.from('\uFEFF<a>é</a>', 'utf16le'))), 'é');
  assert.equal(
    rawText(parseXml(Buffer.from('<?xml version="1.0" encoding="UTF-7"?><a>+ADw-b+AD4-</a>'))),
    '+ADw-b+AD4-',
  );
});
