import { createHash } from 'node:crypto';

import { escapeHtml } from '../parse/index.ts';
import type { Gathered } from './gather.ts';
import type { ReportData } from './data.ts';
import { pageScript } from './script.ts';
import { STYLE } from './style.ts';

/** The page as one text: style, data, script, and a policy that lets nothing else in and nothing out. */
export async function reportHtml({ data, parts, works, pictures }: Gathered): Promise<string> {
  const script = await pageScript();
  // Only this very script and this very style are run; nothing can be fetched, sent, framed or submitted.
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(STYLE)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(data.title)} · DocsToKG</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<div id="report"></div>',
    `<noscript><p>${escapeHtml(plainAccount(data))} This page shows it with JavaScript.</p></noscript>`,
    ...parts.map((part, at) => (part ? dataBlock(`document-${at}`, part) : '')),
    ...works.map((part, at) => dataBlock(`works-${at}`, part)),
    ...pictures.map((picture, at) => dataBlock(`graph-${at}`, picture)),
    dataBlock('data', data),
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** A block of data that no browser runs. Without a "<" nothing in it can end it. */
function dataBlock(id: string, value: unknown): string {
  return `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll('<', String.raw`\u003c`)}</script>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function plainAccount({ title, account, documents, passages }: ReportData): string {
  const download = account ? `${account.works} works, ${account.outcomes['saved'] ?? 0} full texts kept, ` : '';
  return `${title}: ${download}${documents.length} documents, ${passages.length} passages.`;
}
