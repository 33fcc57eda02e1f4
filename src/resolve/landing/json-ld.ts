/** What the structured data of a page says about its files. */
export interface LinkedData {
  readonly pdfUrls: readonly string[];
  readonly license: string | null;
}

const MAX_NODES = 5_000;
const ARTICLE = /article|scholarly|report|thesis|chapter|book|creativework|publicationissue/i;

/** Reads JSON-LD: `encoding` and `associatedMedia` of articles. Broken or endless data is passed over. */
export function readJsonLd(text: string): LinkedData {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { pdfUrls: [], license: null };
  }
  const pdfUrls: string[] = [];
  let license: string | null = null;
  const waiting: unknown[] = [data];
  for (let seen = 0; waiting.length > 0 && seen < MAX_NODES; seen += 1) {
    const node = waiting.pop();
    if (Array.isArray(node)) waiting.push(...(node as unknown[]).slice(0, 200));
    else if (node !== null && typeof node === 'object') {
      const fields = new Map(Object.entries(node));
      if (Array.isArray(fields.get('@graph'))) waiting.push(fields.get('@graph'));
      if (!ARTICLE.test([fields.get('@type')].flat().map(String).join(' '))) continue;
      for (const name of ['encoding', 'associatedMedia', 'distribution']) pdfUrls.push(...mediaUrls(fields.get(name)));
      const said = fields.get('license');
      if (typeof said === 'string') license ??= said;
      const url = fields.get('contentUrl');
      if (typeof url === 'string' && /\.pdf($|\?)/i.test(url)) pdfUrls.push(url);
      waiting.push(fields.get('mainEntity'));
    }
  }
  return { pdfUrls: [...new Set(pdfUrls)], license };
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
