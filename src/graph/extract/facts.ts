import { foldCase, lettersOf } from '../../base/index.ts';
import { ABBREVIATION_VERSION, findAbbreviations } from './abbreviations.ts';
import { measuredBy } from './measured.ts';
import type { Quantity } from './quantities.ts';
import { QUANTITY_VERSION, findQuantities } from './quantities.ts';
import type { Reading, Statements, Stretch } from './reading.ts';
import { THIS_WORK } from './reading.ts';
import { SOFTWARE_VERSION, findSoftware } from './software.ts';

const ABBREVIATION = { name: 'abbreviation', version: ABBREVIATION_VERSION };
const QUANTITY = { name: 'quantity', version: QUANTITY_VERSION };
const SOFTWARE = { name: 'software', version: SOFTWARE_VERSION };
const DATASET = { name: 'dataset', version: 1 };

export function extractAbbreviations(reading: Reading, say: Statements): void {
  for (const { block } of reading.prose)
    for (const { short, long, score } of findAbbreviations(block.text)) {
      const term = say.node('term', `text:${termId(long.text)}`, long.text, { data: { abbreviation: short.text } });
      const stretch = { start: Math.min(short.start, long.start), end: Math.max(short.end, long.end) };
      say.edge({ source: THIS_WORK, kind: 'defines', target: term }, { block: block.order, stretch }, ABBREVIATION, {
        score: Math.min(1, score),
        detail: { short: short.text, long: long.text },
      });
    }
}

export function extractQuantities(reading: Reading, say: Statements): void {
  for (const { block, section } of reading.prose)
    for (const quantity of findQuantities(block.text)) {
      const sentence = reading.sentenceAt(block.order, quantity.start);
      if (!sentence || quantity.end > sentence.stretch.end) continue;
      const { stretch } = sentence;
      const text = block.text.slice(stretch.start, stretch.end);
      const place = { start: quantity.start - stretch.start, end: quantity.end - stretch.start };
      const measured = measuredBy(text, place, quantity.unit === undefined || quantity.unit.text.includes('%'));
      const words = (at: Stretch | null): string | null => at && text.slice(at.start, at.end);
      const printed = block.text.slice(quantity.start, quantity.end);
      const property = words(measured.property);
      const entity = quantity.counted ?? words(measured.entity);
      const target = say.node(
        'quantity',
        quantityId(quantity, property, entity),
        [property, printed, entity].filter(Boolean).join(' · '),
        {
          data: {
            values: quantity.values,
            unit: quantity.unit?.text ?? null,
            normal: quantity.normal,
            base: quantity.unit?.base ?? null,
            ...(quantity.uncertainty !== undefined && { uncertainty: quantity.uncertainty }),
            property,
            entity,
          },
        },
      );
      say.edge({ source: THIS_WORK, kind: 'measures', target }, { block: block.order, stretch }, QUANTITY, {
        detail: { at: quantity.start, printed, shape: quantity.shape, modifier: quantity.modifier, section },
      });
    }
}

export function extractResources(reading: Reading, say: Statements): void {
  const paragraphs = reading.prose.map(({ block }) => block.text);
  for (const { paragraph, start, name, program, version, reason } of findSoftware(paragraphs)) {
    const read = reading.prose[paragraph];
    const sentence = read && reading.sentenceAt(read.block.order, start);
    if (!read || !sentence) continue;
    const target = say.node('software', `name:${lettersOf(program)}`, program);
    say.edge(
      { source: THIS_WORK, kind: 'uses', target },
      { block: read.block.order, stretch: sentence.stretch },
      SOFTWARE,
      {
        detail: { at: start, printed: name, version: version ?? null, reason, section: read.section },
      },
    );
  }
  for (const { block, section } of reading.prose)
    for (const { start, id, label, kind } of findDatasets(block.text)) {
      const sentence = reading.sentenceAt(block.order, start);
      if (!sentence) continue;
      const target = say.node(kind, id, label);
      say.edge(
        { source: THIS_WORK, kind: 'uses', target },
        { block: block.order, stretch: sentence.stretch },
        DATASET,
        {
          detail: { at: start, printed: label, section },
        },
      );
    }
}

/** The id of a term: its words in lower case without accents, the last one in the singular. */
export function termId(text: string): string {
  return foldCase(text)
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
    .replace(/(?<=[a-z]{2}[^s\W])s$/, (plural) => (/(?:us|is|ss|ous)$/.test(foldCase(text)) ? plural : ''));
}

function quantityId(quantity: Quantity, property: string | null, entity: string | null): string {
  const uncertainty = quantity.uncertainty === undefined ? '' : `±${quantity.uncertainty.join('..')}`;
  const value = quantity.normal.join('..') + uncertainty;
  return `${value} ${quantity.unit?.base ?? ''}|${termId(property ?? '')}|${termId(entity ?? '')}`;
}

/** A data set, program or material that a text names by an identifier. */
interface Dataset {
  readonly start: number;
  readonly kind: 'dataset' | 'software' | 'material';
  readonly id: string;
  readonly label: string;
}

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
