/** An arXiv identifier; `version` is null for "the latest". */
export interface ArxivId {
  readonly id: string;
  readonly version: number | null;
}

const LEAD =
  /^(?:https?:\/\/)?(?:(?:www\.|export\.)?arxiv\.org\/(?:abs|pdf|html|e-print|src|format)\/|(?:https?:\/\/)?(?:dx\.)?doi\.org\/10\.48550\/arxiv\.|10\.48550\/arxiv\.|(?:pmh:)?oai:arxiv\.org:|arxiv:)\s*/i;
const NEW = /^(\d{2})(\d{2})\.(\d{4,5})(?:v(\d{1,3}))?$/;
const OLD = /^([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?\/(\d{2})(\d{2})(\d{3})(?:v(\d{1,3}))?$/i;

/** Parses an arXiv id in any spelling; a bare number counts only in the new style. */
export function parseArxivId(text: string): ArxivId | undefined {
  const rest = text
    .trim()
    .replace(LEAD, '')
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

/** The id with its version, as used in URLs and queries. */
export function formatArxivId({ id, version }: ArxivId): string {
  return version === null ? id : `${id}v${version}`;
}

function isMonth(month: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12;
}
