import type { Loss } from './polite-http.ts';

export interface Identity {
  readonly title: string;
  readonly doi: string | null;
}

/** What a body is, after a careful look: a document of the work, a page, or a loss. */
export type Checked =
  | { readonly kind: 'document' }
  | { readonly kind: 'page'; readonly html: string }
  | { readonly kind: 'lost'; readonly reason: Loss };

const lost = (reason: Loss): Checked => ({ kind: 'lost', reason });

export function check(body: Buffer, identity: Identity): Checked {
  if (body.length === 0) return lost('empty-body');
  const head = body.subarray(0, 1024).toString('latin1');
  if (head.includes('%PDF-')) return checkPdf(body.toString('latin1'), identity);
  const root = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?<(article|TEI|pmc-articleset)\b/.exec(head)?.[1];
  if (root !== undefined) {
    const text = body.toString('utf8');
    if (!text.trimEnd().endsWith(`</${root}>`)) return lost('truncated');
    return /<body[\s>]/.test(text) ? { kind: 'document' } : lost('wrong-kind');
  }
  if (/^\s*(<!doctype html|<html)/i.test(head)) return wallOf(body.toString('utf8'));
  return lost('wrong-kind');
}

function checkPdf(text: string, { title, doi }: Identity): Checked {
  if (!/%%EOF\s*$/.test(text.slice(-1024))) return lost('truncated');
  if (text.includes('/Encrypt ')) return lost('encrypted');
  const pages = text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
  if (pages === 0) return lost('unreadable');
  if (text.includes('Preview of the first page')) return lost('preview-only');
  const plain = text.replaceAll(/\\([\\()])/g, '$1');
  return plain.includes(title) || (doi !== null && plain.toLowerCase().includes(doi))
    ? { kind: 'document' }
    : lost('identity-mismatch');
}

function wallOf(html: string): Checked {
  if (/<title>Preparing to download/.test(html)) return lost('bot-wall');
  if (/g-recaptcha|h-captcha/.test(html)) return lost('blocked-captcha');
  if (/<title>Page not found/.test(html)) return lost('soft-404');
  if (/Purchase PDF|Get access/.test(html)) return lost('paywalled');
  if (/type="password"/.test(html)) return lost('blocked-login');
  return { kind: 'page', html };
}

export interface PageLinks {
  readonly links: readonly string[];
  readonly refresh: string | null;
  readonly doi: string | null;
}

/** The full texts that a landing page names, in order of trust. */
export function readPage(html: string, linkHeader: string | undefined, base: string): PageLinks {
  const root = /<base href="([^"]+)"/.exec(html)?.[1] ?? base;
  const metas = [...html.matchAll(/<meta\s[^>]*>/gi)].map(([tag]) => tag);
  const meta = (name: string): string[] =>
    metas
      .filter((tag) => new RegExp(`(name|property)=["']?${name}\\b`).test(tag))
      .map((tag) =>
        unescapeHtml(
          /content=(?:"([^"]*)"|'([^']*)'|([^\s>]+))/
            .exec(tag)
            ?.slice(1)
            .find((part) => part !== undefined) ?? '',
        ),
      );
  const found = [
    ...meta('citation_pdf_url'),
    ...[...html.matchAll(/<link rel="alternate" type="application\/pdf"[^>]* href="([^"]+)"/g)].map(([, href = '']) =>
      unescapeHtml(href),
    ),
    ...(/^<([^>]+)>;.*type="application\/pdf"/.exec(linkHeader ?? '')?.slice(1, 2) ?? []),
    ...[...html.matchAll(/"contentUrl":"([^"]+)"/g)].map(([, url = '']) => url),
    ...[...html.matchAll(/class="obj_galley_link pdf" href="([^"]+)"/g)].map(([, href = '']) =>
      unescapeHtml(href).replace('/article/view/', '/article/download/'),
    ),
  ];
  return {
    links: found.map((link) => new URL(link, root).href),
    refresh: /<meta http-equiv="refresh" content="\d+;url=([^"]+)"/.exec(html)?.[1] ?? null,
    doi: meta('citation_doi')[0]?.toLowerCase() ?? null,
  };
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
