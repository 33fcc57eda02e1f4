import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sha256 } from '../base/index.ts';
import type { PageParts } from './page-parts.ts';

/** The page's script and style: built with the package, or on the fly in a clone. */
export async function pageParts(): Promise<PageParts> {
  if (import.meta.url.endsWith('.ts')) return await (await import('./page-bundle.ts')).bundlePage();
  const [script = '', style = '', modules = ''] = await Promise.all(
    ['page.js', 'page.css', 'page.json'].map((name) => readFile(join(import.meta.dirname, name), 'utf8')),
  );
  return { script, style, modules: JSON.parse(modules) as PageParts['modules'] };
}

/** The modules that a module needs before it runs. */
const NEEDED = /(?:from|import)"\.\/([\w.-]+)"/g;

/** The names of the modules that every view needs, the page first. */
export function firstModules(modules: PageParts['modules']): readonly string[] {
  const [[app, text] = ['', '']] = Object.entries(modules);
  return [app, ...Array.from(text.matchAll(NEEDED), ([, name]) => name ?? '')];
}

/** The page as served: one HTML file for every view, and its assets by path; their names contain a hash of the content. */
export async function pageAssets() {
  const { style, modules } = await pageParts();
  const [app = '', ...needed] = firstModules(modules);
  // What is needed at once is asked for at once, and so is what the page asks first.
  const first = [
    ...needed.map((name) => `<link rel="modulepreload" href="/assets/${name}">`),
    '<link rel="preload" as="fetch" crossorigin="anonymous" href="/api/v1/">',
  ];
  const stylePath = `/assets/app.${sha256(style).slice(0, 12)}.css`;
  return {
    html: Buffer.from(
      pageHtml({
        title: 'DocsToKG',
        head: `<link rel="icon" href="data:,">\n<link rel="stylesheet" href="${stylePath}">\n<script type="module" src="/assets/${app}"></script>\n${first.join('\n')}`,
        noscript: 'The same data is available as JSON at /api/v1/.',
        body: '',
      }),
    ),
    files: new Map([
      ...Object.entries(modules).map(
        ([name, module]) =>
          [
            `/assets/${name}`,
            { type: `text/${name.endsWith('.js') ? 'javascript' : 'plain'}; charset=utf-8`, body: Buffer.from(module) },
          ] as const,
      ),
      [stylePath, { type: 'text/css; charset=utf-8', body: Buffer.from(style) }],
    ]),
  };
}

/** The HTML around the page. All parts are markup: callers must escape text. */
export function pageHtml(parts: Readonly<Record<'title' | 'head' | 'noscript' | 'body', string>>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${parts.title}</title>
${parts.head}
</head>
<body>
<div id="report"></div>
<noscript><p>This page needs JavaScript. ${parts.noscript}</p></noscript>
${parts.body}</body>
</html>
`;
}
