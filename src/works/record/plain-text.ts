const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Longest tag; keeps texts full of `<` cheap. */
const LONGEST_TAG = 2000;

/** A title or abstract without tags and entities; null if empty. */
export function plainText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const plain = withoutTags(text.slice(0, 100_000))
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/&#(\d{1,7}|x[0-9a-f]{1,6});/gi, (whole, code: string) => character(code) ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain === '' ? null : plain;
}

/** In one pass. A `<` that opens no tag ("p < .05") stays, and a block tag between words becomes a space. */
function withoutTags(text: string): string {
  let plain = '';
  let from = 0;
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', from)) {
    const piece = text.slice(open + 1, open + LONGEST_TAG);
    const close = /^[a-z/!]/i.test(piece) ? piece.indexOf('>') : -1;
    const next = piece.indexOf('<');
    // A tag contains no other tag; otherwise it is text.
    if (close === -1 || (next !== -1 && next < close)) {
      plain += text.slice(from, open + 1);
      from = open + 1;
      continue;
    }
    const isBlock = /^<\/?(?:jats:)?(?:p|sec|title|list|list-item|br|div|li)\b/i.test(`<${piece.slice(0, 20)}`);
    plain += text.slice(from, open) + (isBlock ? ' ' : '');
    from = open + close + 2;
  }
  return plain + text.slice(from);
}

function character(code: string): string | undefined {
  const number = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
  return number > 0 && number <= 0x10_ff_ff ? String.fromCodePoint(number) : undefined;
}
