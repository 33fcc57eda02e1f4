/** Decodes an HTML page by its byte order mark, header or meta element; an unknown charset is read as UTF-8. */
export function decodePage(body: Buffer, contentType: string | undefined): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return body.subarray(3).toString('utf8');
  const head = body.subarray(0, 2048).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType ?? '')?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ??
    'utf-8';
  // Escape sequences of ISO-2022 can hide markup from filters.
  if (/2022/.test(named)) return body.toString('utf8');
  try {
    return new TextDecoder(named).decode(body);
  } catch (error) {
    // TextDecoder knows the charsets of the web, without UTF-7.
    if (error instanceof RangeError) return body.toString('utf8');
    throw error;
  }
}
