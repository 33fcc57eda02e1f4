import { meaningsOf } from '../base/index.ts';

export interface License {
  readonly slug: LicenseSlug | null;
  readonly raw: string;
}

type LicenseSlug =
  | `cc-by${'' | '-sa' | '-nc' | '-nd' | '-nc-sa' | '-nc-nd'}`
  | 'cc0'
  | 'public-domain'
  | 'other-oa'
  | 'publisher-specific'
  | 'arxiv-nonexclusive';

export type Version = 'submittedVersion' | 'acceptedVersion' | 'publishedVersion';
export type HostType = 'publisher' | 'repository' | 'preprint' | 'aggregator' | 'archive';

const WORDS = meaningsOf({
  cc0: 'cc0 cc-0 cc-zero',
  'public-domain': 'pd public-domain publicdomain',
  'other-oa': 'other-oa implied-oa unspecified-oa',
  'publisher-specific': 'publisher-specific publisher-specific-oa publisher-specific-license',
  'arxiv-nonexclusive': 'nonexclusive-distrib arxiv-nonexclusive',
});

/** Text-mining terms and access levels (info:eu-repo), which are no licences for readers. */
const NO_LICENSE =
  /\btdm\b|text-?(?:and-?data-?)?mining|info:eu-repo\/semantics\/|^(?:open|closed|restricted|embargoed) ?access$|^(?:unspecified|unknown|not specified|no license)$/i;

/** Elsevier's open archive, ACS AuthorChoice. */
const FREE_TO_READ =
  /elsevier\.com\/open-access\/userlicense|pubs\.acs\.org\/page\/policy\/(?:authorchoice|acsauthorchoice)/i;

/** Knows `CC BY`, `CCBYNCND`, `cc_by`, `cc-by-4.0`, and URLs; an unknown text is kept without a slug. */
export function parseLicense(text: string | null | undefined): License | null {
  const raw = text?.trim() ?? '';
  return raw === '' || raw.length > 500 || NO_LICENSE.test(raw) ? null : { slug: slugOf(raw), raw };
}

function slugOf(raw: string): LicenseSlug | null {
  const [ccUrl, terms, domain] =
    /creativecommons\.org\/(?:licen[cs]es\/(by(?:-?(?:nc|sa|nd)){0,2})|publicdomain\/(zero|mark))/i.exec(raw) ?? [];
  if (terms !== undefined) return ccSlug(terms);
  if (ccUrl !== undefined) return domain?.toLowerCase() === 'zero' ? 'cc0' : 'public-domain';
  if (/arxiv\.org\/licenses\/nonexclusive/i.test(raw)) return 'arxiv-nonexclusive';
  if (FREE_TO_READ.test(raw)) return 'publisher-specific';
  const word = raw
    .replace(/^https?:\/\/openalex\.org\/licenses\//i, '')
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const plain = word.replace(/-?v?\d\.\d(?:-[a-z]+)?$/, '').replace(/-$/, '');
  return WORDS.get(plain) ?? (plain.startsWith('cc') ? ccSlug(plain.slice(2)) : null) ?? namedSlug(raw);
}

/** Spelled-out licences: "Creative Commons Attribution-NonCommercial 4.0 International", "CC-By Attribution 4.0". */
function namedSlug(text: string): LicenseSlug | null {
  const words = text.toLowerCase();
  if (/\bcc0\b|\bcc zero\b|public domain dedication/.test(words)) return 'cc0';
  if (/public domain/.test(words)) return 'public-domain';
  if (!/creative commons|\bcc[\s_-]?by/.test(words) || !/attribution|\bby\b/.test(words)) return null;
  const has = (part: RegExp, letters: string): string => (part.test(words) ? letters : '');
  return ccSlug(
    `by${has(/non-?\s?commercial|\bnc\b/, 'nc')}${has(/share-?\s?alike|\bsa\b/, 'sa')}${has(/no-?\s?deriv|\bnd\b/, 'nd')}`,
  );
}

function ccSlug(terms: string): LicenseSlug | null {
  const letters = terms.toLowerCase().replaceAll('-', '');
  // Early licences had another order: by-nd-nc.
  const match = /^by(nc)?(sa|nd)?(nc)?$/.exec(letters);
  if (!match || (match[1] !== undefined && match[3] !== undefined)) return null;
  const parts = ['cc', 'by', match[1] ?? match[3], match[2]].filter((part) => part !== undefined);
  return parts.join('-') as LicenseSlug;
}

const VERSIONS = meaningsOf({
  publishedVersion: 'publishedversion vor',
  acceptedVersion: 'acceptedversion am',
  submittedVersion: 'submittedversion smur',
});

/** In the words of OpenAlex, Unpaywall and Crossref. */
export function parseVersion(text: string | null | undefined): Version | null {
  return VERSIONS.get(text?.toLowerCase() ?? '') ?? null;
}
