import { foldCase, lettersOf } from '../../base/index.ts';
import { ABBREVIATION_VERSION, findAbbreviations } from './abbreviations.ts';
import type { Quantity } from './quantities.ts';
import { QUANTITY_VERSION, findQuantities, measuredBy } from './quantities.ts';
import type { Stretch } from '../../parse/index.ts';
import { STOP_WORDS } from '../../parse/index.ts';
import type { Labelled, QuantityRole } from '../../tagger/index.ts';
import type { Reading, Statements } from './reading.ts';
import type { TaggedDocument } from './tagging.ts';
import { placeKey } from './tagging.ts';
import { SOFTWARE_VERSION, findSoftware } from './software.ts';

const ABBREVIATION = { name: 'abbreviation', version: ABBREVIATION_VERSION };
const QUANTITY = { name: 'quantity', version: QUANTITY_VERSION };
const SOFTWARE = { name: 'software', version: SOFTWARE_VERSION };
const DATASET = { name: 'dataset', version: 1 };
const LEAST_SURE = 0.5;
/** The share that was right when some were read: values in sentences, and numbers with what they count behind them. */
const [SCORE_OF_VALUE, SCORE_OF_COUNT] = [0.6, 0.9];
/** Of properties that are shown: of those with less, fewer than three in four were right. */
const LEAST_SURE_SHOWN = 0.8;

export function extractAbbreviations(reading: Reading, say: Statements): void {
  for (const { block } of reading.prose)
    for (const { short, long, score } of findAbbreviations(block.text)) {
      const target = say.node('term', `text:${termId(long.text)}`, long.text, { data: { abbreviation: short.text } });
      const stretch = { start: Math.min(short.start, long.start), end: Math.max(short.end, long.end) };
      const sentence = reading.sentenceAt(block.order, stretch.start);
      const where = sentence && sentence.stretch.end >= stretch.end ? sentence : { block: block.order, stretch };
      const detail = { short: short.text, long: long.text, at: stretch.start };
      say.edge({ kind: 'defines', target, score: Math.min(1, score) }, where, ABBREVIATION, detail);
    }
}

export function extractQuantities(reading: Reading, say: Statements, tagged?: TaggedDocument): void {
  for (const { block, section, part } of reading.prose) {
    if (part === 'back' || SUPPLEMENT.test(section ?? '')) continue;
    for (const quantity of findQuantities(block.text)) {
      const { start, end, unit, shape, modifier } = quantity;
      const sentence = reading.sentenceAt(block.order, start);
      if (!sentence || end > sentence.stretch.end || isStatistic(block.text, quantity)) continue;
      const from = sentence.stretch.start;
      const text = block.text.slice(from, sentence.stretch.end);
      const isShare = unit === undefined || unit.text.includes('%');
      const roles = tagged?.roles.get(placeKey(block.order, start));
      const measured = roles
        ? taggedOwner(roles, LEAST_SURE_SHOWN)
        : moved(measuredBy(text, { start: start - from, end: end - from }, isShare), from);
      const words = (at: Stretch | null): string | null => at && wholeWords(block.text, at, sentence.stretch);
      const printed = block.text.slice(start, end);
      const entity = quantity.counted ?? withoutNumber(words(measured.entity));
      const property = withoutAdjective(words(measured.property));
      const names = { property: property !== null && entity?.includes(property) ? null : property, entity };
      // A number that the sentence gives to nothing says nothing.
      if (names.property === null && names.entity === null) continue;
      const target = sayQuantity(say, { ...quantity, ...names, printed });
      const detail = { at: start, printed, shape, modifier, section };
      const score = quantity.counted === undefined ? SCORE_OF_VALUE : SCORE_OF_COUNT;
      say.edge({ kind: 'measures', target, score }, sentence, QUANTITY, detail);
    }
  }
}

const SUPPLEMENT = /supplement|supporting information|additional files?|data availability/iu;

/** Probabilities, the level of an interval, masses of ions and times of day measure nothing that a paper is about. */
function isStatistic(text: string, { start, end, modifier }: Quantity): boolean {
  const before = text.slice(Math.max(0, start - 16), start + modifier.length);
  return (
    /(?:(?<!\p{L})p(?:[ -]?values?)? ?[<>=≤≥]?|m\/z ?[=:]?|\d:) ?[<>=≤≥]? ?$/iu.test(before) ||
    /^(?::\d| ?(?:[ap]\.?m\b|CI\b|confidence))/iu.test(text.slice(end, end + 14))
  );
}

/** The words of which a stretch is a part: "freeze" of "freeze-dried" names nothing. Null if no word is left. */
function wholeWords(text: string, { start, end }: Stretch, within: Stretch): string | null {
  const isInside = (at: number): boolean => at > within.start && at < within.end;
  const joins = (at: number): boolean => isInside(at) && /[\p{L}\p{N}-]{2}/u.test(text.slice(at - 1, at + 1));
  let [from, to] = [start, end];
  while (joins(from)) from -= 1;
  while (joins(to)) to += 1;
  const words = text.slice(from, to);
  return /\p{L}{2}/u.test(words) && !STOP_WORDS.has(words.toLowerCase()) ? words : null;
}

/** "5% CO2" is another quantity; "conserved" alone names nothing. */
function withoutNumber(entity: string | null): string | null {
  return entity !== null && (/^[\d.,]+ ?(?:%|\p{L})/u.test(entity) || /^\p{Ll}+(?:ed|ic|ous|ive)$/u.test(entity))
    ? null
    : entity;
}

/** "elevated" alone is no property. */
function withoutAdjective(property: string | null): string | null {
  return property !== null &&
    /^(?:[\p{Ll}-]+ed|high|low|higher|lower|total|mean|average|about|other|same)$/u.test(property)
    ? null
    : property;
}

interface Owner {
  readonly property: Stretch | null;
  readonly entity: Stretch | null;
}

/** The property and the entity that the tagger is surest of; of a property it must be as sure as this. */
export function taggedOwner(roles: readonly Labelled<QuantityRole>[], leastProperty = LEAST_SURE): Owner {
  const best = (role: QuantityRole): Stretch | null =>
    roles
      .filter(({ label, sure }) => label === role && sure >= (role === 'property' ? leastProperty : LEAST_SURE))
      .toSorted((a, b) => b.sure - a.sure)[0] ?? null;
  return { property: best('property'), entity: best('measured') };
}

function moved({ property, entity }: Owner, by: number): Owner {
  const move = (at: Stretch | null): Stretch | null => at && { start: at.start + by, end: at.end + by };
  return { property: move(property), entity: move(entity) };
}

export function sayQuantity(
  say: Statements,
  quantity: Pick<Quantity, 'values' | 'normal' | 'unit' | 'uncertainty'> & {
    readonly printed: string;
    readonly property: string | null;
    readonly entity: string | null;
  },
): string {
  const { values, unit, normal, printed, property, entity } = quantity;
  // In base units like the value, but without the offset of a scale: ± 2 °C is ± 2 K.
  const uncertainty = quantity.uncertainty?.map((each) => Number((each * (unit?.factor ?? 1)).toPrecision(12)));
  const base = unit?.base ?? null;
  const value = normal.join('..') + (uncertainty === undefined ? '' : `±${uncertainty.join('..')}`);
  const id = `${value} ${base ?? ''}|${termId(property ?? '')}|${termId(entity ?? '')}`;
  const tolerance = quantity.uncertainty && { uncertainty: quantity.uncertainty };
  const data = { values, unit: unit?.text ?? null, normal, base, ...tolerance, property, entity };
  return say.node('quantity', id, [property, printed, entity].filter(Boolean).join(' · '), { data });
}

export function extractResources(reading: Reading, say: Statements): void {
  const paragraphs = reading.prose.map(({ block }) => block.text);
  for (const { paragraph, start, name, program, version = null, reason } of findSoftware(paragraphs)) {
    const sentence = reading.sentenceAt(reading.prose[paragraph]?.block.order ?? -1, start);
    if (!sentence) continue;
    const target = say.node('software', `name:${lettersOf(program)}`, program);
    const detail = { at: start, printed: name, version, reason, section: sentence.section };
    say.edge({ kind: 'uses', target }, sentence, SOFTWARE, detail);
  }
  for (const { block, section } of reading.prose)
    for (const { start, id, label, kind } of findDatasets(block.text)) {
      const sentence = reading.sentenceAt(block.order, start);
      if (!sentence) continue;
      const target = say.node(kind, id, label);
      say.edge({ kind: 'uses', target }, sentence, DATASET, { at: start, printed: label, section });
    }
}

/** The id of a term: its words in lower case without accents, the last one in the singular. */
export function termId(text: string): string {
  return foldCase(text)
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
    .replace(/(?<=[a-z]{2}[^s\W])s$/, (plural) => (/(?:us|is|ss|ous)$/.test(foldCase(text)) ? plural : ''));
}

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
const RRID = /\bRRID:\s?((SCR|AB|CVCL|IMSR|MGI|BDSC|ZFIN|Addgene|MMRRC)_?[\w:.-]*\w)/g;
const CODE_URL = /\bhttps?:\/\/(?:www\.)?(github\.com|gitlab\.com|bitbucket\.org)\/([\w.-]+\/[\w.-]*\w)/gi;

/** Finds data sets by accession and DOI, programs by RRID (SCR) and the address of their source, materials by other RRIDs. */
export function findDatasets(text: string): Dataset[] {
  const found: Dataset[] = [];
  const add = (start: number, kind: Dataset['kind'], id: string, label: string): void =>
    void found.push({ start, kind, id, label });
  for (const [archive, expression] of ACCESSIONS)
    for (const { 0: whole, 1: accession = whole, index } of text.matchAll(expression))
      add(index, 'dataset', `${archive}:${accession.toUpperCase()}`, accession);
  for (const { 0: whole, index } of text.matchAll(ARCHIVE_DOI)) {
    const doi = whole.replace(/(?<![.,;])[.,;]+$/, '').toLowerCase();
    add(index, 'dataset', `doi:${doi}`, doi);
  }
  for (const { 1: id = '', 2: authority, index } of text.matchAll(RRID))
    add(index, authority === 'SCR' ? 'software' : 'material', `rrid:${id}`, `RRID:${id}`);
  for (const { 1: host = '', 2: path = '', index } of text.matchAll(CODE_URL))
    add(index, 'software', `url:${host}/${path}`.toLowerCase(), path.toLowerCase());
  return found.sort((a, b) => a.start - b.start);
}
