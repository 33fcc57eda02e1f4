import type { ClientSettings } from '../settings.ts';
import type { PoliteHttp } from './polite-http.ts';

/** A URL to try, as a resolver found it. */
export interface FoundPlan {
  readonly url: string;
  readonly expect: 'pdf' | 'xml' | 'any';
  readonly license: string | null;
  readonly version: string | null;
  readonly hostType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an OpenAlex work that resolvers read. */
export interface WorkRecord {
  readonly id: string;
  readonly doi: string | null;
  readonly title: string;
  readonly ids: { readonly pmcid?: string };
  readonly has_content: { readonly pdf: boolean; readonly grobid_xml: boolean };
  readonly locations: readonly OpenAlexLocation[];
}

export interface OpenAlexLocation {
  readonly id?: string;
  readonly is_oa: boolean;
  readonly landing_page_url: string | null;
  readonly pdf_url: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly source: { readonly type: string } | null;
}

export interface Asking {
  readonly http: PoliteHttp;
  readonly settings: ClientSettings;
  readonly record: WorkRecord;
  /** The DOI in lower case, without the dot that some records carry at its end. */
  readonly doi: string | null;
  /** URLs of lost files, for the archive. */
  readonly gone: readonly string[];
}

/** A value inside JSON of unknown shape; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path)
    here = here !== null && typeof here === 'object' ? (here as { [key: string | number]: unknown })[step] : undefined;
  return here;
}

export const word = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const encodeDoi = (doi: string): string => doi.split('/').map(encodeURIComponent).join('/');

export async function ask(
  asking: Asking,
  url: string,
  headers: { readonly [name: string]: string } = {},
): Promise<unknown> {
  const answer = await asking.http.fetch(url, { headers, isInterface: true });
  if (answer.kind === 'lost' || answer.status !== 200) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Licences as one vocabulary, whatever the source calls them. */
export function license(raw: unknown): string | null {
  const text = word(raw)?.toLowerCase();
  if (!text) return null;
  if (/nonexclusive/.test(text)) return 'arxiv-nonexclusive';
  if (/zero|cc0/.test(text)) return 'cc0';
  const by = /\bcc[\s_-]?(by(?:[\s_-]?(?:nc|nd|sa))*)|licenses\/(by(?:-(?:nc|nd|sa))*)/.exec(text);
  const parts = (by?.[1] ?? by?.[2])?.replaceAll(/[\s_-]/g, '').match(/by|nc|nd|sa/g);
  return parts ? `cc-${parts.join('-')}` : null;
}

export const plan = (url: string, more: Partial<FoundPlan> = {}): FoundPlan => ({
  url,
  expect: 'pdf',
  license: null,
  version: null,
  hostType: 'repository',
  ...more,
});

export const shared = (location: OpenAlexLocation): Partial<FoundPlan> => ({
  license: location.license,
  version: location.version,
  hostType: location.source?.type === 'journal' ? 'publisher' : 'repository',
});
