/** Supported charsets; anything else, including UTF-7, is read as UTF-8. */
const CHARSETS = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-9',
  'iso-8859-15',
  'latin1',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'koi8-r',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb2312',
  'gbk',
  'gb18030',
  'big5',
  'utf-16le',
  'utf-16be',
]);

/** Decodes an HTML page by its byte order mark, header or meta element. */
export function decodePage(body: Buffer, contentType: string | undefined): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return body.subarray(3).toString('utf8');
  const head = body.subarray(0, 2048).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType ?? '')?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ??
    'utf-8';
  const charset = named.toLowerCase();
  return CHARSETS.has(charset) ? new TextDecoder(charset).decode(body) : body.toString('utf8');
}
