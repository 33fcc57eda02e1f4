import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { escapeHtml } from '../../parse/index.ts';
import type { Problem } from './problem.ts';

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;
padding:0 1rem;color:light-dark(#1c2126,#e7e4dd);background:light-dark(#f8f8f6,#121517)}h1{font-size:1.3rem}
p{color:light-dark(#575d64,#a9aeb4)}a{color:light-dark(#0b5a9e,#86bdf2)}`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`;

/** What a person needs to know about a problem; programs get the code. */
const SENTENCES: Readonly<Record<string, readonly [title: string, next: string]>> = {
  TOKEN_WANTED: [
    'This page opens with its link',
    'Open the link that docstokg serve printed when it was started; it holds the access token. The link stays the same unless another token is set in DOCSTOKG_SERVE__TOKEN.',
  ],
  NO_PAGE: ['There is no such page', 'The address may be mistyped, or from another version.'],
};

/** Whether a person asked, who would see JSON otherwise. */
export function wantsPage({ headers, method, url = '' }: IncomingMessage): boolean {
  const isProgram = url.startsWith('/api/') || url.startsWith('/mcp') || url.startsWith('/assets/');
  return (method === 'GET' || method === 'HEAD') && !isProgram && /\btext\/html\b/.test(headers.accept ?? '');
}

/** A problem as a page of its own: it needs no token, no script and nothing else from the server. */
export function problemPage(problem: Problem): { readonly body: Buffer; readonly policy: string } {
  const { status, code, message, hint } = problem;
  const [title, next] = SENTENCES[code] ?? [message, hint ?? ''];
  const home = status === 401 ? '' : '<p><a href="/">Open the library</a></p>';
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · DocsToKG</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(next)}</p>
${home}
<p><small>${status} ${escapeHtml(code)}</small></p>
</main>
</body>
</html>
`;
  return { body: Buffer.from(html), policy: POLICY };
}
