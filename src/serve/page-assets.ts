import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { sha256 } from '../base/index.ts';
import { STYLE } from './page-style.ts';

/** A file of the page, as it is served. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The page: one text for every address, and the files that it names. */
export interface PageAssets {
  readonly html: Buffer;
  /** By path; their names change with their content. */
  readonly files: ReadonlyMap<string, Asset>;
}

/** Makes the page ready: from what was made when the package was built, or on the fly in a clone. */
export async function pageAssets(): Promise<PageAssets> {
  const script = await pageScript();
  const style = STYLE;
  const scriptPath = `/assets/app.${sha256(script).slice(0, 12)}.js`;
  const stylePath = `/assets/app.${sha256(style).slice(0, 12)}.css`;
  return {
    html: Buffer.from(shell(scriptPath, stylePath)),
    files: new Map([
      [scriptPath, { type: 'text/javascript; charset=utf-8', body: Buffer.from(script) }],
      [stylePath, { type: 'text/css; charset=utf-8', body: Buffer.from(style) }],
    ]),
  };
}

async function pageScript(): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) return await readFile(join(import.meta.dirname, 'page.js'), 'utf8');
  const { bundleServePage } = await import('./page-bundle.ts');
  return await bundleServePage();
}

function shell(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>DocsToKG</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>This page needs JavaScript. The same is told at /api/v1/.</p></noscript>
</body>
</html>
`;
}
