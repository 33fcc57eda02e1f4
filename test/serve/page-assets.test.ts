import assert from 'node:assert/strict';
import { test } from 'node:test';

import { firstModules, pageAssets } from '../../src/serve/page-assets.ts';
import { bundlePage } from '../../src/serve/page-bundle.ts';

/** Words of the packages that draw graphs and charts. */
const DRAWING = /u-over|barnesHutOptimize/;

test('a view loads what draws graphs and charts only when it is opened; a report has it all in one script', async () => {
  const { script, modules } = await bundlePage();
  assert.match(script, DRAWING);
  assert.doesNotMatch(script, /import\("\.\//);
  const first = firstModules(modules);
  assert.ok(first.length >= 2, 'the page, and what its views share');
  for (const name of first) assert.doesNotMatch(modules[name] ?? '', DRAWING, name);
  const later = Object.entries(modules).filter(([name]) => !first.includes(name));
  assert.ok(later.some(([, text]) => DRAWING.test(text)));
});

test('every file that the page names is served, and what is asked first is asked for in its HTML', async () => {
  const { html, files } = await pageAssets();
  const named = [...html.toString().matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.ok(named.length >= 3);
  for (const path of named) assert.ok(files.has(path), path);
  for (const [path, { body }] of files)
    for (const [, name = ''] of body.toString().matchAll(/(?:from|import|import\()"\.\/([\w.-]+\.js)"/g))
      assert.ok(files.has(`/assets/${name}`), `${path} needs ${name}`);
  assert.match(html.toString(), /<link rel="preload" as="fetch" crossorigin="anonymous" href="\/api\/v1\/">/);
});
