import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sha256 } from '../base/index.ts';

/** The page's script and style: built with the package, or on the fly in a clone. */
export async function pageParts(): Promise<{ readonly script: string; readonly style: string }> {
  if (import.meta.url.endsWith('.ts')) return await (await import('./page-bundle.ts')).bundlePage();
  const [script, style] = await Promise.all(
    ['page.js', 'page.css'].map((name) => readFile(join(import.meta.dirname, name), 'utf8')),
  );
  return { script: script ?? '', style: style ?? '' };
}

/** The page as served: one HTML file for every view, and its assets by path; their names contain a hash of the content. */
export async function pageAssets() {
  const { script, style } = await pageParts();
  const scriptPath = `/assets/app.${sha256(script).slice(0, 12)}.js`;
  const stylePath = `/assets/app.${sha256(style).slice(0, 12)}.css`;
  return {
    html: Buffer.from(
      pageHtml({
        title: 'DocsToKG',
        head: `<link rel="icon" href="data:,">\n<link rel="stylesheet" href="${stylePath}">\n<script type="module" src="${scriptPath}"></script>`,
        noscript: 'The same data is available as JSON at /api/v1/.',
        body: '',
      }),
    ),
    files: new Map([
      [scriptPath, { type: 'text/javascript; charset=utf-8', body: Buffer.from(script) }],
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
