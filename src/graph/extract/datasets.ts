/** A data set, program or material that a text names by an identifier. */
interface Dataset {
  readonly start: number;
  readonly kind: 'dataset' | 'software' | 'material';
  readonly id: string;
  readonly label: string;
}

/** Accessions of the large archives, each by the form that its archive gives out. */
const ACCESSIONS: readonly (readonly [archive: string, expression: RegExp])[] = [
  ['geo', /\bG(?:SE|SM|PL|DS)\d{2,8}\b/g],
  ['sra', /\b[SED]R[APRSXZ]\d{6,9}\b/g],
  ['bioproject', /\bPRJ[NED][A-Z]\d{3,9}\b/g],
  ['biosample', /\bSAM[NED][A-Z]?\d{6,12}\b/g],
  ['arrayexpress', /\bE-[A-Z]{4}-\d{1,6}\b/g],
  ['pride', /\bPXD\d{6}\b/g],
  ['massive', /\bMSV\d{9}\b/g],
  ['emdb', /\bEMD-\d{4,5}\b/g],
  ['pdb', /\b(?:PDB(?:\s(?:ID|code|accession|entry))?:?\s)([1-9][A-Za-z0-9]{3})\b/g],
  ['dbgap', /\bphs\d{6}(?:\.v\d+\.p\d+)?\b/g],
  ['openneuro', /\bds\d{6}\b/g],
  ['flowrepository', /\bFR-FCM-[A-Z0-9]{4}\b/g],
  ['clinicaltrials', /\bNCT\d{8}\b/g],
  ['metabolights', /\bMTBLS\d{1,6}\b/g],
];
/** DOIs of archives that keep data and programs. */
const ARCHIVE_DOI =
  /\b10\.(?:5281\/zenodo\.\d+|5061\/dryad\.[\w.]+|6084\/m9\.figshare\.[\w.]+|7910\/[\w./]+|17632\/[\w.]+|17605\/osf\.io\/\w+|18112\/openneuro\.[\w.]+|1594\/pangaea\.\d+)/gi;
const RRID = /\bRRID:\s?(?<id>(?<authority>SCR|AB|CVCL|IMSR|MGI|BDSC|ZFIN|Addgene|MMRRC)_?[\w:.-]*\w)/g;
const CODE_URL = /\bhttps?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)\/(?<path>[\w.-]+\/[\w.-]*\w)/gi;

/** Finds data sets by accession and DOI, programs by RRID (SCR) and the address of their source, materials by other RRIDs. */
export function findDatasets(text: string): Dataset[] {
  const found: Dataset[] = [];
  for (const [archive, expression] of ACCESSIONS)
    for (const match of text.matchAll(expression)) {
      const accession = match[1] ?? match[0];
      found.push({
        start: match.index,
        kind: 'dataset',
        id: `${archive}:${accession.toUpperCase()}`,
        label: accession,
      });
    }
  for (const match of text.matchAll(ARCHIVE_DOI)) {
    const doi = match[0].replace(/(?<![.,;])[.,;]+$/, '').toLowerCase();
    found.push({ start: match.index, kind: 'dataset', id: `doi:${doi}`, label: doi });
  }
  for (const match of text.matchAll(RRID)) {
    const id = match.groups?.['id'] ?? '';
    found.push({
      start: match.index,
      kind: match.groups?.['authority'] === 'SCR' ? 'software' : 'material',
      id: `rrid:${id}`,
      label: `RRID:${id}`,
    });
  }
  for (const match of text.matchAll(CODE_URL)) {
    const path = (match.groups?.['path'] ?? '').toLowerCase();
    found.push({
      start: match.index,
      kind: 'software',
      id: `url:${new URL(match[0]).hostname.replace('www.', '')}/${path}`,
      label: path,
    });
  }
  return found.sort((a, b) => a.start - b.start);
}
