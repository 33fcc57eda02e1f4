/** File statements in a page's structured data. */
export interface LinkedData {
  readonly pdfUrls: readonly string[];
  readonly license: string | null;
  readonly doi: string | null;
}

const MAX_NODES = 5_000;
const ARTICLE = /article|scholarly|report|thesis|chapter|book|creativework|publicationissue/i;
/** Types of deposits: their statements count, but their files are not papers. */
const DEPOSIT = /dataset|digitaldocument|softwaresourcecode|collection|imageobject|mediaobject|learningresource/i;

/** Parses JSON-LD: `encoding` and `associatedMedia` of articles. Broken or endless data is skipped. */
export function readJsonLd(text: string): LinkedData {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { pdfUrls: [], license: null, doi: null };
  }
  const pdfUrls: string[] = [];
  let license: string | null = null;
  let doi: string | null = null;
  const waiting: unknown[] = [data];
  for (let seen = 0; waiting.length > 0 && seen < MAX_NODES; seen += 1) {
    // In page order: the main entity comes before related ones.
    const node = waiting.pop();
    if (Array.isArray(node)) waiting.push(...(node as unknown[]).slice(0, 200).toReversed());
    else if (node !== null && typeof node === 'object') {
      const fields = new Map(Object.entries(node));
      if (Array.isArray(fields.get('@graph'))) waiting.push(fields.get('@graph'));
      const type = [fields.get('@type')].flat().map(String).join(' ');
      const isArticle = ARTICLE.test(type);
      if (!isArticle && !DEPOSIT.test(type)) {
        waiting.push(fields.get('mainEntity'));
        continue;
      }
      for (const name of isArticle ? ['encoding', 'associatedMedia', 'distribution'] : [])
        pdfUrls.push(...mediaUrls(fields.get(name)));
      for (const said of texts(fields.get('license'))) license ??= said;
      for (const name of ['identifier', '@id', 'sameAs', 'url'])
        doi ??= texts(fields.get(name)).find((said) => /(?:^|doi[.:/ ]|org\/)10\.\d{4,9}\//i.test(said)) ?? null;
      const url = fields.get('contentUrl');
      if (typeof url === 'string' && /\.pdf($|\?)/i.test(url)) pdfUrls.push(url);
      waiting.push(fields.get('mainEntity'));
    }
  }
  return { pdfUrls: [...new Set(pdfUrls)], license, doi };
}

/** The strings in a value: a string, a list, or an object with `value`, `url` or `@id`. */
function texts(value: unknown): string[] {
  return [value]
    .flat()
    .slice(0, 50)
    .flatMap((each: unknown): string[] => {
      if (typeof each === 'string') return [each];
      if (each === null || typeof each !== 'object') return [];
      const { value: inner, url, '@id': id } = each as Record<string, unknown>;
      return [inner, url, id].filter((text) => typeof text === 'string');
    });
}

function mediaUrls(media: unknown): string[] {
  return [media]
    .flat()
    .slice(0, 50)
    .flatMap((each: unknown): string[] => {
      if (each === null || typeof each !== 'object') return [];
      const { contentUrl, encodingFormat, fileFormat } = each as Record<string, unknown>;
      if (typeof contentUrl !== 'string') return [];
      const format = [encodingFormat, fileFormat].filter((said) => typeof said === 'string').join(' ');
      return /pdf/i.test(format) || /\.pdf($|\?)/i.test(contentUrl) ? [contentUrl] : [];
    });
}
