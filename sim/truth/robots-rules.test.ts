import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isAllowed, parseRobots } from './robots-rules.ts';

const may = (text: string, path: string, agent = 'DocsToKG-TS'): boolean =>
  isAllowed(parseRobots(text, agent).rules, path);

test('the longest pattern wins, and on equal length allow', () => {
  assert.equal(may('User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c'), true);
  assert.equal(may('User-agent: *\nAllow: /a\nDisallow: /a/b', '/a/b/c'), false);
  assert.equal(may('User-agent: *\nDisallow: /a\nAllow: /a', '/a'), true);
});

test('the group of the client replaces the general one, in any case', () => {
  const text =
    'User-agent: *\nDisallow: /\n\nUser-agent: docstokg-ts/2.0\nUser-agent: other\nDisallow: /private\n\nUser-agent: DOCSTOKG-TS\nDisallow: /more';
  assert.equal(may(text, '/public'), true);
  assert.equal(may(text, '/private/x'), false);
  assert.equal(may(text, '/more'), false, 'groups of the same client are merged');
  assert.equal(may(text, '/public', 'Somebody'), false);
});

test('wildcards, end anchors, comments, byte order mark and all line breaks are supported', () => {
  const text = '\uFEFFUser-agent: * # all\r\nDisallow: /*.zip$\rDisallow: /x*y\nDisallow:\n';
  assert.equal(may(text, '/a/b.zip'), false);
  assert.equal(may(text, '/a/b.zip?x'), true);
  assert.equal(may(text, '/x/1/y/z'), false);
  assert.equal(may(text, '/robots.txt'), true);
});

test('unknown lines do not end a group, and Crawl-delay belongs to it', () => {
  const rules = parseRobots('User-agent: *\nSitemap: /s\nCrawl-delay: 2\nDisallow: /a', 'X');
  assert.equal(rules.crawlDelaySeconds, 2);
  assert.equal(isAllowed(rules.rules, '/a'), false);
});
