import type { PageProse } from './read-page.ts';
import { hasPaperSections, readPage } from './read-page.ts';

/** What kind of page it is. */
export interface PageFace {
  readonly title: string;
  readonly prose: PageProse;
  /** The page describes a work in its metadata, or is its full text. */
  readonly isArticle: boolean;
  readonly asksPassword: boolean;
  /** Number of links that look like full texts. */
  readonly files: number;
}

/** Metadata that describes a single work. */
const STATES_WORK =
  /^(?:citation_(?!journal|issn|publisher)|bepress_citation_|eprints\.(?!eprintid)|prism\.|wkhealth_|dc(?:terms)?\.(?:title|identifier|creator)$)/;

/** Distinguishes an article page from a login or bot wall. */
export function readFace(html: string): PageFace {
  const { tags, prose } = readPage(html);
  const states = tags.some(({ name, attributes }) => {
    if (name !== 'meta') return false;
    const content = (attributes.get('content') ?? '').trim().toLowerCase();
    const key = (attributes.get('name') ?? attributes.get('property') ?? '').trim().toLowerCase();
    // Pages built by scripts have only this.
    if (key === 'og:type') return content === 'article' || content === 'book';
    return content !== '' && STATES_WORK.test(key);
  });
  return {
    title: (tags.find(({ name }) => name === 'title')?.text ?? '').trim().replace(/\s+/g, ' '),
    prose,
    isArticle: states || hasPaperSections(prose) || tags.some(isScholarly),
    asksPassword: tags.some(
      ({ name, attributes }) => name === 'input' && attributes.get('type')?.trim().toLowerCase() === 'password',
    ),
    files: tags.filter(
      ({ name, attributes }) => name === 'a' && /\.(?:pdf|xml)($|[?#])/i.test(attributes.get('href') ?? ''),
    ).length,
  };
}

function isScholarly({
  name,
  attributes,
  text,
}: {
  name: string;
  attributes: ReadonlyMap<string, string>;
  text: string;
}): boolean {
  return (
    name === 'script' &&
    /ld\+json/i.test(attributes.get('type') ?? '') &&
    /"@type"\s{0,9}:\s{0,9}(?:\[\s{0,9})?"(?:ScholarlyArticle|MedicalScholarlyArticle|Thesis|Report)"/.test(text)
  );
}
