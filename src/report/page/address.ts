/** What the part of the address behind # names: a tab, and in the viewer a document with a page, a passage or a block. */
export interface Place {
  readonly tab: string;
  /** Undefined: the one that is open. */
  readonly document: number | undefined;
  readonly page: number | undefined;
  /** Counted inside the document. */
  readonly passage: number | undefined;
  readonly block: number | undefined;
  /** What of the block's text is meant. */
  readonly range: readonly [start: number, end: number] | undefined;
}

/** Reads the address; anything unknown is the overview. */
export function parsePlace(hash: string): Place {
  const [tab = '', document = 'none', kind, value, range] = hash.replace(/^#/, '').split('/');
  const number = Number(value);
  return {
    tab,
    document: Number.isInteger(Number(document)) ? Number(document) : undefined,
    page: kind === 'page' && Number.isInteger(number) ? number : undefined,
    passage: kind === 'passage' && Number.isInteger(number) ? number : undefined,
    block: kind === 'block' && Number.isInteger(number) ? number : undefined,
    range: rangeOf(range),
  };
}

function rangeOf(text: string | undefined): Place['range'] {
  const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '') ?? [];
  return start === undefined || end === undefined ? undefined : [Number(start), Number(end)];
}

/** The address of words in a block of a document. */
export function quotePlace(document: number, block: number, range: readonly [start: number, end: number]): string {
  return `#documents/${document}/block/${block}/${range[0]}-${range[1]}`;
}

/** The address of a document, of a page of it, or of one of its passages. */
export function placeOf(document: number, kind?: 'page' | 'passage', value?: number): string {
  return kind === undefined ? `#documents/${document}` : `#documents/${document}/${kind}/${value}`;
}
