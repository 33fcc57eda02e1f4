/** How the body is sent, if not simply as a whole. */
type Transport =
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'short'; readonly bytes: number }
  | { readonly kind: 'chunked-cut'; readonly bytes: number }
  | { readonly kind: 'drip'; readonly everyMs: number }
  | { readonly kind: 'stall'; readonly bytes: number }
  | { readonly kind: 'repeat'; readonly times: number; readonly length?: number };

/** A response as data; the server writes it to the socket. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
  readonly transport?: Transport;
}

/** The connection is closed without an answer. */
export const RESET: Reply = { status: 0, headers: {}, body: '', transport: { kind: 'reset' } };
/** No answer comes. */
export const HANG: Reply = { status: 0, headers: {}, body: '', transport: { kind: 'hang' } };

type Headers = Reply['headers'];

export function json(value: unknown, status = 200, headers: Headers = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function text(body: string, status = 200, headers: Headers = {}): Reply {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
}

export function html(body: string, status = 200, headers: Headers = {}): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function page(title: string, body: string, status = 200, headers: Headers = {}): Reply {
  const markup = `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
  return html(markup, status, headers);
}

export function xml(body: string, status = 200, headers: Headers = {}): Reply {
  return { status, headers: { 'content-type': 'application/xml; charset=utf-8', ...headers }, body };
}

export function redirect(location: string, status = 302, headers: Headers = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html;charset=utf-8', location, ...headers },
    body: `<html><head><title>Redirect</title></head><body><a href="${escapeHtml(location)}">moved</a></body></html>`,
  };
}

export function headerOf(reply: Reply, name: string): string | undefined {
  const value = reply.headers[name];
  return typeof value === 'string' ? value : undefined;
}

export function escapeHtml(raw: string): string {
  return raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
