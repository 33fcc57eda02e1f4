/** The counts of a PRISMA 2020 flow diagram; each line is a part of the one before. */
export interface PrismaCounts {
  readonly identified: number;
  readonly removed_before_screening: { readonly unreadable_entries: number; readonly duplicates: number };
  /** Works that a person labelled; 0 before any screening. */
  readonly screened: number;
  /** Works without a label: not read yet, or unread because the stopping rule was met. */
  readonly not_screened: number;
  /** Excluded by title and abstract. */
  readonly excluded: number;
  /** Works not excluded by title and abstract; all works before any screening. */
  readonly sought: number;
  readonly not_retrieved: number;
  readonly not_retrieved_by_reason: Readonly<Record<string, number>>;
  /** Works with a file or an assessed full text that title and abstract did not exclude. */
  readonly retrieved: number;
  /** Of these, the works excluded by their full text, and why. */
  readonly excluded_by_full_text: number;
  readonly excluded_by_full_text_reasons: Readonly<Record<string, number>>;
  /** Of these, the included works. */
  readonly included: number;
}

const [WIDTH, BOX, GAP, LINE] = [300, 330, 40, 18];

/** The counts as an SVG diagram for a paper. */
export function prismaSvg(counts: PrismaCounts): string {
  const { unreadable_entries: unreadable, duplicates } = counts.removed_before_screening;
  const reasons = Object.entries(counts.not_retrieved_by_reason)
    .toSorted((a, b) => b[1] - a[1])
    .map(([reason, number]) => `${reason} (n = ${number})`);
  const whys =
    counts.excluded_by_full_text === 0
      ? []
      : [`Reports excluded (n = ${counts.excluded_by_full_text}):`, ...Object.entries(counts.excluded_by_full_text_reasons).map(([why, number]) => `${why} (n = ${number})`)]; // prettier-ignore
  const isScreened = counts.screened > 0;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [
      `Records identified (n = ${counts.identified})`,
      ['Removed before screening:', `duplicates (n = ${duplicates})`, `unreadable entries (n = ${unreadable})`],
    ],
    [
      isScreened ? `Records screened (n = ${counts.screened})` : 'Records not screened yet',
      isScreened
        ? [
            `Records excluded (n = ${counts.excluded})`,
            ...(counts.not_screened > 0 ? [`Records not screened (n = ${counts.not_screened})`] : []),
          ]
        : [],
    ],
    [`Reports sought (n = ${counts.sought})`, [`Reports not retrieved (n = ${counts.not_retrieved})`, ...reasons]],
    [counts.excluded_by_full_text > 0 ? `Reports assessed for eligibility (n = ${counts.retrieved})` : `Reports retrieved (n = ${counts.retrieved})`, whys], // prettier-ignore
    [isScreened ? `Studies included (n = ${counts.included})` : 'Studies not screened yet', []],
  ];
  let y = 10;
  const parts: string[] = [];
  for (const [at, [main, side]] of rows.entries()) {
    const height = Math.max(2, side.length + 1) * LINE;
    parts.push(box(10, y, WIDTH, height, [main]));
    if (side.length > 0) {
      parts.push(box(WIDTH + 10 + GAP, y, BOX, height, side));
      parts.push(arrow(WIDTH + 10, y + height / 2, WIDTH + 10 + GAP, y + height / 2));
    }
    if (at < rows.length - 1) parts.push(arrow(10 + WIDTH / 2, y + height, 10 + WIDTH / 2, y + height + GAP));
    y += height + GAP;
  }
  const size = `${WIDTH + BOX + GAP + 20} ${y}`;
  const marker =
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" font-family="sans-serif" font-size="13">${marker}${parts.join('')}</svg>\n`;
}

function box(x: number, y: number, width: number, height: number, lines: readonly string[]): string {
  const text = lines
    .map((line, at) => `<tspan x="${x + 10}" y="${y + LINE * (at + 1)}">${escaped(line)}</tspan>`)
    .join('');
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="black"/><text>${text}</text>`;
}

function arrow(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="black" marker-end="url(#a)"/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
