import { SaxesParser } from 'saxes';

/** An entry of a reference list as the publisher's XML has it. */
export interface TrueReference {
  readonly id: string | null;
  readonly label: string | null;
  readonly title: string | null;
  readonly year: string | null;
  readonly doi: string | null;
}

/** References and callouts of an article, in the form that the scorer of callouts reads. */
export interface TrueCitations {
  readonly id: string;
  readonly references: readonly TrueReference[];
  readonly callouts: readonly { refs: string[]; text: string; before: string; after: string }[];
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

/** Reads references and callouts out of JATS. Callouts count in paragraphs, titles and captions of the body, not in table cells. */
export function readJatsCitations(id: string, xml: string): TrueCitations {
  const root = parseXml(xml);
  const references = within(root, 'ref').map((ref): TrueReference => {
    const doi = within(ref, 'pub-id').find(({ attributes }) => attributes['pub-id-type'] === 'doi');
    const first = (...names: string[]): string | null =>
      names
        .flatMap((name) => within(ref, name))
        .map(textOf)[0]
        ?.trim() || null;
    return {
      id: ref.attributes['id'] ?? null,
      label: first('label'),
      title: first('article-title', 'chapter-title'),
      year: first('year')?.match(/\d{4}/)?.[0] ?? null,
      doi: doi ? textOf(doi).trim().toLowerCase() : null,
    };
  });
  const callouts = within(root, 'body').flatMap((body) => blocksOf(body).flatMap(calloutsOf));
  return { id, references, callouts };
}

function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open = [root];
  const parser = new SaxesParser();
  const addText = (text: string): void => void open.at(-1)?.children.push(text);
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  // Entities that only the DTD knows.
  parser.on('error', () => undefined);
  parser.write(xml).close();
  return root;
}

function within(element: Element, name: string): Element[] {
  return element.children.flatMap((child) =>
    typeof child === 'string' ? [] : child.name === name ? [child] : within(child, name),
  );
}

function textOf(element: Element): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** Paragraphs and titles, each without those inside it. */
function blocksOf(element: Element): Element[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string' || child.name === 'table' || child.name === 'ref-list') return [];
    return child.name === 'p' || child.name === 'title' ? [child] : blocksOf(child);
  });
}

function calloutsOf(block: Element): { refs: string[]; text: string; before: string; after: string }[] {
  let text = '';
  const places: { refs: string[]; start: number; end: number }[] = [];
  const walk = (element: Element): void => {
    for (const child of element.children) {
      const start = text.length;
      if (typeof child === 'string') text += child.replace(/\s+/g, ' ');
      else if (child.name !== 'table') walk(child);
      if (typeof child !== 'string' && child.name === 'xref' && child.attributes['ref-type'] === 'bibr')
        places.push({ refs: (child.attributes['rid'] ?? '').split(/\s+/), start, end: text.length });
    }
  };
  walk(block);
  return places.map(({ refs, start, end }) => ({
    refs,
    text: text.slice(start, end),
    before: text.slice(Math.max(0, start - 80), start),
    after: text.slice(end, end + 60),
  }));
}
