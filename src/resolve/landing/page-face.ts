import type { PageProse } from './read-page.ts';
import { hasPaperSections, readPage } from './read-page.ts';

/** What a page is, before it is asked what it says. */
export interface PageFace {
  readonly title: string;
  readonly prose: PageProse;
  /** It states itself as the page of a work, or is its full text. */
  readonly isArticle: boolean;
  readonly asksPassword: boolean;
  /** Links that look like files to read. */
  readonly files: number;
}

/** Metadata by which a page says that it is about one work. */
const STATES_WORK =
  /^(?:citation_(?!journal|issn|publisher)|bepress_citation_|eprints\.(?!eprintid)|prism\.|wkhealth_|dc(?:terms)?\.(?:title|identifier|creator)$)/;

/** Looks at a page: enough to tell an article from a wall. */
export function readFace(html: string): PageFace {
  const { tags, prose } = readPage(html);
  const states = tags.some(({ name, attributes }) => {
    if (name !== 'meta') return false;
    const content = (attributes.get('content') ?? '').trim().toLowerCase();
    const key = (attributes.get('name') ?? attributes.get('property') ?? '').trim().toLowerCase();
    // Publishers whose pages are built by scripts say no more than this.
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
