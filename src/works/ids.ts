import { findDoi, normalizeDoi } from '../base/index.ts';

/** Without the endings that publishers' sites add to a DOI. */
function doiInUrl(url: string): string | undefined {
  const doi = findDoi(url)
    ?.replace(/(?:\/(?:full|fulltext|abstract|e?pdf|html|meta|summary|references)|\.full|\.full-text|\.pdf)+$/, '')
    .replace(/^(10\.(?:1101|64898)\/.*\d)v\d{1,2}$/, '$1')
    .replace(/^(10\.1093\/[^/]+\/[^/]+)\/\d+$/, '$1');
  return normalizeDoi(doi ?? '');
}

/** An arXiv identifier; `version` is null for "the latest". */
export interface ArxivId {
  readonly id: string;
  readonly version: number | null;
}

const ARXIV_LEAD =
  /^(?:https?:\/\/)?(?:(?:www\.|export\.)?arxiv\.org\/(?:abs|pdf|html|e-print|src|format)\/|(?:https?:\/\/)?(?:dx\.)?doi\.org\/10\.48550\/arxiv\.|10\.48550\/arxiv\.|(?:pmh:)?oai:arxiv\.org:|arxiv:)\s*/i;
const NEW = /^(\d{2})(\d{2})\.(\d{4,5})(?:v(\d{1,3}))?$/;
const OLD = /^([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?\/(\d{2})(\d{2})(\d{3})(?:v(\d{1,3}))?$/i;

/** Parses an arXiv id in any spelling; a bare number counts only in the new style. */
export function parseArxivId(text: string): ArxivId | undefined {
  const rest = text
    .trim()
    .replace(ARXIV_LEAD, '')
    .replace(/[?#][^]*/, '')
    .replace(/\.pdf$/i, '')
    .replace(/\/$/, '');
  const fresh = NEW.exec(rest);
  if (fresh) {
    const [, year = '', month = '', number = '', version] = fresh;
    const yearMonth = Number(year + month);
    // Five digits since January 2015, four before.
    if (!isMonth(month) || yearMonth < 704 || (number.length === 5) !== yearMonth >= 1501) return undefined;
    return { id: `${year}${month}.${number}`, version: version === undefined ? null : Number(version) };
  }
  const old = OLD.exec(rest);
  if (!old) return undefined;
  const [, archive = '', year = '', month = '', number = '', version] = old;
  const inRange = Number(year) >= 91 || Number(year) <= 7;
  if (!isMonth(month) || !inRange) return undefined;
  return {
    id: `${archive.toLowerCase()}/${year}${month}${number}`,
    version: version === undefined ? null : Number(version),
  };
}

export function formatArxivId({ id, version }: ArxivId): string {
  return version === null ? id : `${id}v${version}`;
}

function isMonth(month: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12;
}

/** Sites of PubMed Central and Europe PMC, whose URLs contain ids of articles and files. */
const PMC_SITE = /^https?:\/\/(?:[a-z0-9-]+\.)*(?:ncbi\.nlm\.nih\.gov|europepmc\.org|pubmedcentral\.nih\.gov)\//i;

/** A PMCID as `PMC` and digits, from any spelling that contains PMC; a version (`PMC123.2`) is dropped. */
export function normalizePmcid(text: string): string | undefined {
  const given = text.trim();
  // As in /pmc/articles/PMC123/pdf/x.pdf, /article/PMC/PMC123 and ?pmcid=PMC123&blobtype=pdf.
  const inUrl = PMC_SITE.test(given) ? /[/=]PMC(\d{1,10})(?:\.\d{1,3})?(?=[/?#&.]|$)/i.exec(given)?.[1] : undefined;
  const digits =
    inUrl ?? /^(?:https?:\/\/[^\s]*\/)?(?:pmcid:?\s*)?pmc:?\s*(\d{1,10})(?:\.\d{1,3})?\/?$/i.exec(given)?.[1];
  return digits === undefined || Number(digits) === 0 ? undefined : `PMC${Number(digits)}`;
}

/** Bare digits count too. */
export function pmcidFromField(text: string): string | undefined {
  const digits = /(?:^|\/)(\d{1,10})\/?$/.exec(text.trim())?.[1];
  return normalizePmcid(text) ?? (digits === undefined ? undefined : normalizePmcid(`PMC${digits}`));
}

/** A PMID as digits, from a PubMed URL or a text that says PMID. */
export function normalizePmid(text: string): string | undefined {
  const match =
    /^(?:https?:\/\/(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:(?:www|m)\.)?ncbi\.nlm\.nih\.gov(?:\/m)?\/pubmed|(?:[a-z0-9-]+\.)*europepmc\.org\/(?:article|abstract)\/MED)\/|pmid:?\s*)(\d{1,9})(?:\/?(?:[?#].*)?)$/i.exec(
      text.trim(),
    );
  return match ? String(Number(match[1])) : undefined;
}

export function pmidFromField(text: string): string | undefined {
  const trimmed = text.trim();
  return normalizePmid(trimmed) ?? (/^[1-9]\d{0,8}$/.test(trimmed) ? trimmed : undefined);
}

/** An OpenAlex work id (`W…`), from its short form or its URL, in any case. */
export function normalizeOpenAlexId(text: string): string | undefined {
  const id = /^(?:https?:\/\/(?:api\.|explore\.)?openalex\.org\/(?:works\/)?|openalex:)?(w[1-9]\d{0,12})\/?$/i.exec(
    text.trim(),
  )?.[1];
  return id?.toUpperCase();
}

export function normalizeTopicId(text: string): string | undefined {
  return /^(?:https?:\/\/openalex\.org\/(?:topics\/)?)?(t[1-9]\d{0,7})$/i.exec(text.trim())?.[1]?.toUpperCase();
}

/** A HAL id (`hal-01234567`, `tel-…`), without portal and version. */
export function normalizeHalId(text: string): string | undefined {
  const id =
    /^(?:https?:\/\/(?:[a-z0-9-]+\.)*(?:hal\.science|archives-ouvertes\.fr)\/|hal:|oai:hal:)?([a-z][a-z_]{1,15}-\d{6,9})(?:v\d{1,3})?(?:\/[^\s]*)?$/i.exec(
      text.trim(),
    )?.[1];
  return id?.toLowerCase();
}

/** A Zenodo record number, from its URL or its DOI. Concept and version records share the form. */
export function normalizeZenodoId(text: string): string | undefined {
  return /^(?:https?:\/\/(?:www\.)?zenodo\.org\/(?:api\/)?records?\/|(?:https?:\/\/doi\.org\/)?10\.5281\/zenodo\.|zenodo:)(\d{1,12})(?:[/?#][^\s]*)?$/i.exec(
    text.trim(),
  )?.[1];
}

/** The guid inside an OSF DOI (`10.31219/osf.io/abcde_v2`) or an osf.io URL. */
export function osfGuidOf(text: string): string | undefined {
  return /(?:^|\/)osf\.io\/(?:preprints\/[a-z0-9]+\/|download\/)?([a-z0-9]{5,12}(?:_v\d{1,3})?)\/?$/i
    .exec(text.trim())?.[1]
    ?.toLowerCase();
}

export function orcidIn(text: string | null): string | null {
  return /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/i.exec(text ?? '')?.[0].toUpperCase() ?? null;
}

export interface WorkIds {
  readonly openalex: string | null;
  readonly doi: string | null;
  readonly arxiv: ArxivId | null;
  readonly pmid: string | null;
  readonly pmcid: string | null;
  readonly hal: string | null;
  readonly zenodo: string | null;
}

export const NO_IDS: WorkIds = {
  openalex: null,
  doi: null,
  arxiv: null,
  pmid: null,
  pmcid: null,
  hal: null,
  zenodo: null,
};

export function identify(text: string): WorkIds | undefined {
  const openalex = normalizeOpenAlexId(text);
  if (openalex !== undefined) return { ...NO_IDS, openalex };
  // An arXiv or Zenodo DOI is also an arXiv or Zenodo id.
  const arxiv = parseArxivId(text);
  const zenodo = normalizeZenodoId(text);
  const doi = normalizeDoi(text);
  if (arxiv || zenodo !== undefined || doi !== undefined) {
    return { ...NO_IDS, arxiv: arxiv ?? null, zenodo: zenodo ?? null, doi: doi ?? null };
  }
  const pmcid = normalizePmcid(text);
  if (pmcid !== undefined) return { ...NO_IDS, pmcid };
  const pmid = normalizePmid(text);
  if (pmid !== undefined) return { ...NO_IDS, pmid };
  // Only PMIDs are numbers this long; shorter ones are probably mistakes.
  if (/^\s*[1-9]\d{4,7}\s*$/.test(text)) return { ...NO_IDS, pmid: text.trim() };
  const hal = normalizeHalId(text);
  if (hal !== undefined) return { ...NO_IDS, hal };
  const url = text.trim();
  const inUrl = /^https?:\/\//i.test(url) ? doiInUrl(url) : undefined;
  return inUrl === undefined ? undefined : { ...NO_IDS, doi: inUrl };
}

/** The first wins where they differ. */
export function mergeIds(first: WorkIds, second: WorkIds): WorkIds {
  return { ...second, ...Object.fromEntries(Object.entries(first).filter(([, id]) => id !== null)) };
}

/** The id a work is queued and filed under; undefined if it has none. */
export function keyOf(ids: WorkIds): string | undefined {
  if (ids.openalex !== null) return ids.openalex;
  if (ids.doi === null && ids.arxiv !== null) return `arxiv:${ids.arxiv.id}`;
  const kind = (['doi', 'pmcid', 'pmid', 'hal', 'zenodo'] as const).find((each) => ids[each] !== null);
  return kind && `${kind}:${ids[kind]}`;
}
