import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parse } from 'parse5';

import { HOSTILE_DOCUMENT } from '../../../../test/support/hostile-document.ts';
import { writeHtmlPage } from './html-page.ts';

/** Every element of a parsed page, by name. */
function elements(html: string): { name: string; attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const visit = (node: {
    childNodes?: unknown[];
    tagName?: string;
    attrs?: { name: string; value: string }[];
  }): void => {
    if (node.tagName)
      found.push({
        name: node.tagName,
        attributes: Object.fromEntries((node.attrs ?? []).map(({ name, value }) => [name, value])),
      });
    for (const child of node.childNodes ?? []) visit(child as typeof node);
  };
  visit(parse(html));
  return found;
}

test('the HTML shows hostile text and does not run it', () => {
  const all = elements(writeHtmlPage(HOSTILE_DOCUMENT));
  assert.ok(!all.some((element) => element.name === 'script' || element.name === 'img'));
  assert.ok(!all.some(({ attributes }) => Object.keys(attributes).some((attribute) => attribute.startsWith('on'))));
  assert.ok(all.every(({ attributes }) => !/^javascript:/i.test(attributes['href'] ?? '')));
  const policy = all.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy')?.attributes[
    'content'
  ];
  assert.match(policy ?? '', /^default-src 'none'/);
});

test('the HTML has tables with spans, lists and headings', () => {
  const html = writeHtmlPage(HOSTILE_DOCUMENT);
  assert.match(
    html,
    /<table><caption>Table 1<\/caption><thead><tr><th colspan="2" scope="col">head<\/th><\/tr><\/thead><tbody><tr><th scope="row">a\|b<\/th><td>1<\/td><\/tr><\/tbody><\/table>/,
  );
  assert.match(html, /<ol>\n<li>third<\/li>\n<ul>\n<li>inner<\/li>\n<\/ul>\n<\/ol>/);
});
