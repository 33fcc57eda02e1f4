/** What the part of the address behind # names: a tab, and in the viewer a document with a page or a passage. */
export interface Place {
  readonly tab: string;
  /** Undefined: the one that is open. */
  readonly document: number | undefined;
  readonly page: number | undefined;
  /** Counted inside the document. */
  readonly passage: number | undefined;
}

/** Reads the address; anything unknown is the overview. */
export function parsePlace(hash: string): Place {
  const [tab = '', document = 'none', kind, value] = hash.replace(/^#/, '').split('/');
  const number = Number(value);
  return {
    tab,
    document: Number.isInteger(Number(document)) ? Number(document) : undefined,
    page: kind === 'page' && Number.isInteger(number) ? number : undefined,
    passage: kind === 'passage' && Number.isInteger(number) ? number : undefined,
  };
}

/** The address of a document, of a page of it, or of one of its passages. */
export function placeOf(document: number, kind?: 'page' | 'passage', value?: number): string {
  return kind === undefined ? `#documents/${document}` : `#documents/${document}/${kind}/${value}`;
}
