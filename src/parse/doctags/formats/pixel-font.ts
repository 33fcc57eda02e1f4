// Letters for labels on page images, five by seven dots: one digit of base 32 per row, from top to bottom.
const DOTS: Readonly<Record<string, string>> = {
  '0': 'ehjlphe',
  '1': '4c4444e',
  '2': 'eh1248v',
  '3': 'v2421he',
  '4': '26aiv22',
  '5': 'vgu11he',
  '6': '68guhhe',
  '7': 'v124888',
  '8': 'ehhehhe',
  '9': 'ehhf12c',
  a: 'ehhvhhh',
  b: 'uhhuhhu',
  c: 'ehggghe',
  d: 'uhhhhhu',
  e: 'vgguggv',
  f: 'vgguggg',
  g: 'ehgnhhe',
  h: 'hhhvhhh',
  i: 'e44444e',
  l: 'ggggggv',
  m: 'hrllhhh',
  n: 'hplljhh',
  o: 'ehhhhhe',
  p: 'uhhuggg',
  r: 'uhhukih',
  s: 'fgge11u',
  t: 'v444444',
  u: 'hhhhhhe',
  x: 'hha4ahh',
};

/** How many dots a character takes, the gap after it included. */
export const CHARACTER_DOTS = { width: 6, height: 7 } as const;

/** Calls `dot` for every dot of a text, from its upper left corner; characters without a shape stay blank. */
export function drawText(text: string, dot: (x: number, y: number) => void): void {
  Array.from(text.toLowerCase()).forEach((character, index) => {
    const rows = DOTS[character] ?? '';
    for (let y = 0; y < rows.length; y += 1) {
      const bits = Number.parseInt(rows[y] ?? '0', 32);
      for (let x = 0; x < 5; x += 1) if ((bits >> (4 - x)) & 1) dot(index * CHARACTER_DOTS.width + x, y);
    }
  });
}
