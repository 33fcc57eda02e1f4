import type { Cell, Stretch } from '../../parse/index.ts';
import { STOP_WORDS } from '../../parse/index.ts';
import { TAGGER_VERSION } from '../../tagger/index.ts';
import { findAbbreviations } from './abbreviations.ts';
import { isKnownByLetters, isOrganisation } from '../names/bodies.ts';
import { findCountries } from '../names/countries.ts';
import { bareGene, isGene } from './gene-names.ts';
import { entityName, hasLetters, hasSameNumbers, shortSpecies, speciesInitial } from './entity-names.ts';
import { rowName } from './floats.ts';
import { NO_SOFTWARE, withoutCitation } from './software.ts';
import { ENTITY_KINDS } from '../schema.ts';
import type { EntityKind } from '../schema.ts';
import type { ReadBlock, Reading, Statements } from './reading.ts';
import { bareName, headingOf, namesInTable } from './table-names.ts';
import type { TaggedDocument, TaggedEntity } from './tagging.ts';
import { lettersOf } from '../../base/index.ts';

const COUNTRY = { name: 'country-name', version: 1 };
const METHOD = { name: 'tagger', version: TAGGER_VERSION };
const CELL = { name: 'table-name', version: 1 };
/** Sentences of an entity that are kept per paper. */
const MOST_PLACES = 8;
const LONGEST_NAME = 100;
/** An entity is one if the model is this sure of it once; of its other sentences it may be less sure. */
const SURE_ONCE = 0.95;
/** Names that are kept apart from each other are not counted further than this. */
const MOST_ENTITIES = 400;

interface ShownEntity extends TaggedEntity {
  readonly label: EntityKind;
}

interface Mention extends ShownEntity {
  readonly printed: string;
  /** The cell that names it, if it is in a table: the places are those of the cell's text. */
  readonly cell?: Cell;
  /** What stands above the cell. */
  readonly heading?: string;
  /** The usual name of a country that was found by one of its names. */
  readonly country?: string;
}

/** How a mention came to its name, if it is printed in another way. */
interface Named {
  readonly name: string;
  readonly label: string;
  readonly via: { readonly reason: 'abbreviation' | 'species' | 'country'; readonly of: string } | null;
}

/** Says the entities of a paper: one node for each name and type, with the sentences that name it. */
export function extractEntities(
  reading: Reading,
  say: Statements,
  { entities: tagged, cells }: Pick<TaggedDocument, 'entities' | 'cells'>,
): void {
  // Titles of cited works name what those works are about.
  const prose = reading.prose.filter(({ part, block }) => part !== 'references' || block.kind === 'caption');
  const texts = new Map(prose.map(({ block }) => [block.order, block.text]));
  const printed = joinedWords(
    tagged.filter(isShown).filter(({ block }) => texts.has(block)),
    texts,
  ).map((entity) => withText(entity, texts.get(entity.block) ?? ''));
  const organisms = new Set(printed.filter(({ label }) => label === 'organism').map((each) => each.printed));
  const found = printed
    .map((mention) => withoutOrganism(mention, organisms))
    .filter(isName)
    .filter((mention) => mention.label !== 'software' || isUsed(reading, mention))
    .filter(
      ({ label, block, start, end }) =>
        label !== 'place' || !namesSomethingElse(texts.get(block) ?? '', { start, end }),
    )
    // "beta-glucosidase-like SFR2": what it is like.
    .filter(
      (mention) => mention.label !== 'gene' || !/^-(?:like|type|related)(?!\p{L})/u.test(textBehind(reading, mention)),
    );
  const called = found.filter((each) => each.label === 'gene' && isCalledGene(reading, each)).map(geneKey);
  const stages = found.filter((each) => IS_STAGE.test(textBehind(reading, each))).map(geneKey);
  const substrates = substratesIn(prose);
  const genes = new Set(called).difference(new Set([...stages, ...substrates]));
  const mentions = [
    ...found.filter((each) => each.label !== 'gene' || genes.has(geneKey(each))),
    ...countriesIn(prose).filter((country) => !found.some((each) => isInName(country, each))),
    ...inTables(reading, cells),
  ];
  const nameOf = namesIn(reading, mentions);
  const textOf = ({ block, cell }: Mention): string => cell?.text ?? texts.get(block) ?? '';
  const named = mentions.filter(
    (mention) =>
      isWhatItStandsFor(nameOf(mention), mention, mentions) &&
      (mention.label !== 'organisation' ||
        isOrganisation(nameOf(mention).label) ||
        COMPANY.test(textOf(mention).slice(mention.end, mention.end + 12))),
  );
  const byName = Map.groupBy(withoutOverlaps(withKnownCells(reading, named)), (mention) => nameOf(mention).name);
  for (const [name, group] of [...byName].slice(0, MOST_ENTITIES)) {
    const type = likeliestType(group);
    const own = group.filter(({ label }) => label === type);
    if (!own.some(({ sure }) => sure >= SURE_ONCE)) continue;
    const printedMost = mostFrequent(own.map(({ printed }) => printed));
    const [first = group[0]] = own.filter(({ printed }) => printed === printedMost);
    if (!first) continue;
    const { label: whole } = nameOf(first);
    const label = type === 'software' ? withoutCitation(whole) : whole;
    // Programs have the ids that the rules for software give them.
    const id = type === 'software' ? lettersOf(label) : name;
    const target = say.node(type, `name:${id}`, label, { data: { times: own.length } });
    const said = new Set<string>();
    for (const mention of own) {
      const where = whereNamed(reading, mention);
      if (!where || said.has(where.key)) continue;
      if (said.size >= MOST_PLACES) break;
      said.add(where.key);
      const { via } = nameOf(mention);
      const detail = { at: mention.start, printed: mention.printed, ...where.detail, ...(via && { via }) };
      say.edge({ kind: 'names', target, score: mention.sure }, where.place, where.method, detail);
    }
  }
}

/** The sentence that names something, or the cell with the names of its column and row. */
function whereNamed(reading: Reading, { block, start, country, cell, heading }: Mention) {
  if (cell === undefined) {
    const sentence = reading.sentenceAt(block, start);
    if (!sentence) return undefined;
    const method = country === undefined ? METHOD : COUNTRY;
    return {
      key: `${block}:${sentence.stretch.start}`,
      place: sentence,
      method,
      detail: { section: sentence.section },
    };
  }
  const { row, column, text } = cell;
  const table = reading.document.blocks[block];
  const detail = {
    row,
    column,
    rowName: table?.kind === 'table' ? rowName(table.table.cells, cell) : '',
    columnName: heading,
  };
  const place = reading.place({ block, stretch: { start: 0, end: text.length } }, text);
  return { key: `${block}:${row}:${column}`, place, method: CELL, detail };
}

/**
 * An abbreviation is of a type only if the model gives that type to words of its long form too: "MBC" alone looks like a
 * cancer, "minimum bactericidal concentration" does not.
 */
function isWhatItStandsFor({ via }: Named, { label, printed }: Mention, mentions: readonly Mention[]): boolean {
  if (via?.reason !== 'abbreviation') return true;
  const long = ` ${entityName(via.of.slice(0, via.of.lastIndexOf(' (')))} `;
  return mentions.some((other) => {
    if (other.label !== label || other.printed === printed) return false;
    const name = ` ${entityName(other.printed)} `;
    return long.includes(name) || name.includes(long);
  });
}

/** How sure the model must be of each token of a mention, from 0 to 1. */
const LEAST_SURE = 0.8;

function isShown(entity: TaggedEntity): entity is ShownEntity {
  const kind = ENTITY_KINDS.find((each) => each === entity.label);
  // The design of a study is found by rules.
  return kind !== undefined && kind !== 'method' && entity.sure >= LEAST_SURE;
}

/** As sure as the tagger must be once: a heading and half of a column agree. */
const SURE_OF_CELL = SURE_ONCE;
/** Cells longer than this are sentences. */
const LONGEST_CELL = 80;

/** The names that columns of names hold. */
function inTables(reading: Reading, cells: TaggedDocument['cells']): Mention[] {
  return reading.document.blocks
    .filter((block) => block.kind === 'table')
    .flatMap((table) => namesInTable(table, cells))
    .map(({ block, cell, type, heading, start, end }) => {
      const printed = cell.text.slice(start, end).replaceAll(/\s+/g, ' ');
      const country = type === 'place' ? countryIn(block, printed)?.country : undefined;
      return {
        block,
        cell,
        heading,
        start,
        end,
        printed,
        label: type,
        sure: SURE_OF_CELL,
        ...(country !== undefined && { country }),
      };
    })
    .filter(isName);
}

/** And any cell that is a name which the paper's sentences or other tables have. */
function withKnownCells(reading: Reading, mentions: readonly Mention[]): Mention[] {
  const known = new Map<string, Mention>();
  for (const mention of mentions)
    if (mention.sure >= SURE_ONCE && !known.has(mention.printed)) {
      known.set(mention.printed, mention);
      // "Camphor" in a table is the "camphor" of a sentence; short forms are compared letter by letter.
      if (mention.printed.length >= LEAST_LONG_NAME) known.set(mention.printed.toLowerCase(), mention);
    }
  const found: Mention[] = [];
  for (const block of reading.document.blocks)
    if (block.kind === 'table')
      for (const cell of block.table.cells) {
        if (cell.kind === 'column-header' || cell.text.length > LONGEST_CELL) continue;
        const { start, end } = bareName(cell.text);
        const printed = cell.text.slice(start, end).replaceAll(/\s+/g, ' ');
        const same =
          known.get(printed) ??
          (printed.length < LEAST_LONG_NAME ? undefined : known.get(printed.toLowerCase())) ??
          countryIn(block.order, printed);
        if (same === undefined || isTaken(mentions, block.order, cell)) continue;
        const { label, country, sure } = same;
        const heading = headingOf(block, cell);
        found.push({
          block: block.order,
          cell,
          heading,
          start,
          end,
          printed: same.printed,
          label,
          sure,
          ...(country !== undefined && { country }),
        });
      }
  return [...mentions, ...found];
}
const LEAST_LONG_NAME = 5;

/** A text that is the name of a country and nothing else. */
function countryIn(block: number, printed: string): Mention | undefined {
  const [found] = printed.length > LONGEST_COUNTRY ? [] : findCountries(printed);
  if (found?.start !== 0 || found.end !== printed.length) return undefined;
  const { start, end, name } = found;
  return { block, start, end, printed, label: 'place', sure: 1, country: name };
}
const LONGEST_COUNTRY = 40;

function isTaken(mentions: readonly Mention[], block: number, { row, column }: Cell): boolean {
  return mentions.some((each) => each.block === block && each.cell?.row === row && each.cell.column === column);
}

function countriesIn(prose: readonly ReadBlock[]): Mention[] {
  return prose.flatMap(({ block: { order, text } }) =>
    findCountries(text).map(({ start, end, name }) => ({
      block: order,
      start,
      end,
      printed: text.slice(start, end),
      label: 'place' as const,
      sure: 1,
      country: name,
    })),
  );
}

/** "University of Lodz, Poland" is one name. */
function isInName(country: Mention, other: Mention): boolean {
  return (
    other.block === country.block && overlap(country, other) && other.end - other.start > country.end - country.start
  );
}

function withText(entity: ShownEntity, text: string): Mention {
  let { start, end } = entity;
  // "c Department of Medicine", "3World Wildlife Fund": the sign of an affiliation.
  if (entity.label === 'organisation' || entity.label === 'place')
    start +=
      /^(?:\p{Ll} (?=\p{Lu})|\d{1,2} ?(?=\p{Lu}\p{Ll})|\d(?=\p{Lu}{2}))/u.exec(text.slice(start, end))?.[0].length ?? 0;
  // Brackets and quotes around a name are not part of it, nor one bracket of two.
  const bare = (): string => text.slice(start, end);
  start += LEADING.exec(bare())?.[0].length ?? 0;
  while (end > start && /^[\s,;:"“”'‘’]|^\((?![^)]*\))|^\[(?![^\]]*\])/.test(bare())) start += 1;
  while (end > start && /[\s,;:."“”'‘’]$|(?<!\([^(]{0,200})\)$|(?<!\[[^[]{0,200})\]$/.test(bare())) end -= 1;
  // "((E)-α-bisabolene": the first of two opening brackets is not closed.
  if (bare().startsWith('(') && bare().split('(').length > bare().split(')').length) start += 1;
  // "Anthocyanidin 3-O-glucosyltransferase": the model stops at the hyphen.
  if (entity.label === 'gene') {
    end += /^-\p{Ll}{2,30}ases?(?!\p{L})/u.exec(text.slice(end, end + 34))?.[0].length ?? 0;
    const own = bareGene(bare());
    [start, end] = [start + own.start, start + own.end];
  }
  const printed = bare().replaceAll(/\s+/g, ' ');
  // "O. macrocarpa" is a species, whatever its extract contains.
  const label =
    shortSpecies(printed) !== undefined ? 'organism' : isKnownByLetters(printed) ? 'organisation' : entity.label;
  return { ...entity, start, end, printed, label };
}

/** "Norway spruce TPS-Lin" is TPS-Lin of an organism that the paper names; "wheat germ agglutinin" has the name it has. */
function withoutOrganism(mention: Mention, organisms: ReadonlySet<string>): Mention {
  const { printed, end, label } = mention;
  if (label !== 'gene') return mention;
  for (const { index } of [...printed.matchAll(/ /g)].toReversed()) {
    const organism = printed.slice(0, index);
    const rest = printed.slice(index + 1).replace(LEADING, '');
    // Of "Mentha aquatica linalool synthase" the paper may name the genus alone.
    if (/^\p{Lu}\S*$/u.test(organism) && /^\p{Ll}+ /u.test(rest)) continue;
    if (organisms.has(organism) && TELLS_WHICH.test(rest))
      return withoutOrganism({ ...mention, start: end - rest.length, printed: rest }, organisms);
  }
  return mention;
}
/** A symbol, or an enzyme and what it makes. */
const TELLS_WHICH = /^(?=.{2}).*[\p{Lu}\d]|\S \p{L}+ases?$/u;

/** Two names of one type in one word without spaces are one: "nardosina-1(3),11-diene" is not two chemicals. */
function joinedWords(entities: readonly ShownEntity[], texts: ReadonlyMap<number, string>): ShownEntity[] {
  const found: ShownEntity[] = [];
  const sorted = entities.toSorted(
    (a, b) => a.block - b.block || (a.label < b.label ? -1 : a.label > b.label ? 1 : a.start - b.start),
  );
  for (const entity of sorted) {
    const last = found.at(-1);
    const between = last && texts.get(entity.block)?.slice(last.end, entity.start);
    if (
      last?.block !== entity.block ||
      last.label !== entity.label ||
      between === undefined ||
      !/^[-–,'′()[\]\d]*$/.test(between)
    )
      found.push(entity);
    else if (between !== '' || entity.label === 'chemical')
      found[found.length - 1] = { ...last, end: entity.end, sure: Math.min(last.sure, entity.sure) };
    else found.push(entity);
  }
  return found;
}

/** Not numbers, single letters, words that say nothing, or pieces of words and sentences. */
function isName({ printed, label }: Mention): boolean {
  if (printed.length < 2 || printed.length > LONGEST_NAME || !/\p{L}{2}|\p{L}\p{N}|\p{N}\p{L}/u.test(printed))
    return false;
  // Half of a hyphenated word, or a number of a reference that stuck to a word.
  if (/^[-–/]|[-–/]$/.test(printed) || /\p{Ll}{4}\d{2,}$/u.test(printed)) return false;
  if (label === 'cell' && (NO_LIVING_CELL.test(printed) || ADJECTIVE.test(printed.toLowerCase()))) return false;
  // "bovine serum": of which animal, not that animal.
  if (label === 'organism' && OF_ANIMALS.test(printed)) return false;
  // "strain N06", "RI1495": a number that somebody gave.
  if (label === 'chemical' && CODE.test(printed)) return false;
  // "the Halden protocol", "the DPPH method": how something is done, whoever it is named after.
  if (PROCEDURE.test(printed)) return false;
  if (label === 'gene' && !isGene(printed)) return false;
  if (label === 'software' && NO_SOFTWARE.test(printed)) return false;
  // A part of an address.
  if (label === 'organisation' && ADDRESS.test(printed)) return false;
  // A standard, not what it is about.
  if (/^(?:ISO|EN|NF|ASTM|DIN)[ -]?\d/u.test(printed)) return false;
  // "hv" is the index of a symbol.
  if (label !== 'chemical' && /^\p{Ll}{2}$/u.test(printed)) return false;
  // Short capitals are names of groups and genes more often than of places.
  if (label === 'place' && /^\p{L}{1,3}$/u.test(printed) && !SHORT_PLACES.has(printed)) return false;
  if ((label === 'chemical' ? CHEMICAL_ADJECTIVE : ADJECTIVE).test(printed)) return false;
  const words = printed.split(' ');
  // "WHO" is a name, "who" is none.
  const saysNothing = (word: string): boolean =>
    STOP_WORDS.has(/^\p{Lu}{3,}$/u.test(word) ? word : word.toLowerCase()) || NO_NAME.has(word.toLowerCase());
  return words.length <= 10 && !words.every(saysNothing);
}

/** The form of a company, behind its name. */
const COMPANY = /^,? ?(?:Inc|Ltd|Limited|LLC|GmbH|Corp|Co\b|AG\b|S\.?A\.|B\.?V\.|Pty|PLC)/u;
const ADDRESS = /\b(?:Street|Road|Avenue|Boulevard|Blvd|Suite|Drive|Lane|Box)\b|\bP\.? ?O\b/u;
const PROCEDURE =
  /(?<=\s)(?:protocols?|trials?|stud(?:y|ies)|surveys?|scales?|scores?|ind(?:ex|ices)|tests?|assays?|methods?|procedures?|criteri(?:on|a)|classifications?|guidelines?|questionnaires?|registry|equations?|models?)$/iu;

const geneKey = ({ printed }: Mention): string => entityName(printed, 'gene');

/** "the Berlin definition", "the Declaration of Helsinki", "the Zaire strain": called after a place. */
function namesSomethingElse(text: string, { start, end }: Stretch): boolean {
  return (
    /^ (?:definition|criteri(?:on|a)|protocol|classification|scores?|scales?|guidelines?|method|declaration|convention|agreement|accord|strain|species|virus|ebolavirus|blue|green|index|questionnaire)(?!\p{L})/iu.test(
      text.slice(end, end + 20),
    ) || /(?:declaration|convention|treaty) of $/iu.test(text.slice(Math.max(0, start - 16), start))
  );
}

/** Of a gene a name or some sentence says that it is one; levels of safety and ways of sequencing look like genes too. */
function isCalledGene(reading: Reading, { block, start, end, printed }: Mention): boolean {
  if (GENE_NAME.test(printed)) return true;
  const sentence = reading.sentenceAt(block, start);
  const text = reading.document.blocks[block]?.text.slice(sentence?.stretch.start, sentence?.stretch.end) ?? '';
  // A letter with a number or another is called a gene in the words beside it, or it is a sample, a residue, a strain.
  if (/^\p{Lu}(?:\d{1,4}|\p{Lu})$/u.test(printed)) {
    const whole = reading.document.blocks[block]?.text ?? '';
    return (
      CALLED_BEFORE.test(whole.slice(Math.max(0, start - 24), start)) || CALLED_BEHIND.test(whole.slice(end, end + 24))
    );
  }
  return GENE_CUE.test(text);
}
const textBehind = (reading: Reading, { block, end }: Mention): string =>
  reading.document.blocks[block]?.text.slice(end, end + BEHIND) ?? '';
const BEHIND = 24;
/** "FPP synthase", "IPP isomerase": what an enzyme makes or changes is a small molecule; kinases and reductases act on proteins too. */
function substratesIn(prose: readonly ReadBlock[]): string[] {
  return prose.flatMap(({ block }) =>
    [...block.text.matchAll(/(?<![\p{L}\p{N}])(\p{Lu}{2,6}) (?:synthases?|synthetases?|isomerases?)(?!\p{L})/gu)].map(
      ([, name = '']) => entityName(name, 'gene'),
    ),
  );
}
/** "the Fr4 stage", "Fr6 and Fr8 stages": what was sampled, not what it expressed. */
const IS_STAGE = /^(?:(?:,|-| and) ?[\p{Lu}\d]\S{0,6})? (?:stages?|cultivars?|fractions?)(?!\p{L})/u;
const CALLED_BEFORE =
  /(?:genes?|proteins?|enzymes?|receptors?|cytokines?|transcripts?|factors?|(?:expression|levels?) of|encod\p{Ll}{1,3}|locus|loci)(?: the)? $/iu;
const CALLED_BEHIND =
  /^ (?:genes?|proteins?|mRNAs?|expression|transcripts?|promoters?|mutants?|mutations?|locus|alleles?|receptors?|knock-?outs?)(?!\p{L})/iu;
const GENE_NAME =
  /(?:ases?|proteins?|receptors?|factors?|enzymes?|antigens?|hormones?|genes?|subunits?|globulins?|interleukins?|cytokines?)(?:\P{L}|$)/iu;
const GENE_CUE =
  /\b(?:genes?|proteins?|enzymes?|expression|expressed|transcripts?|transcription(?:al)?|encod(?:es?|ed|ing)|mRNAs?|promoters?|antibod(?:y|ies)|mutants?|mutations?|receptors?|cytokines?|chemokines?|interleukins?|kinases?|synthases?|regulated|upregulat\p{Ll}+|downregulat\p{Ll}+|homolog\p{Ll}*|ortholog\p{Ll}*|signall?ing|serum|plasma|secret\p{Ll}+|phosphorylat\p{Ll}+|polymorphisms?|alleles?|loci|locus)\b/iu;

/** Of a program a sentence says that it is one, or what was done with it; journals and plants have such names too. */
function isUsed(reading: Reading, { block, start, end }: Mention): boolean {
  const sentence = reading.sentenceAt(block, start);
  const text = reading.document.blocks[block]?.text.slice(sentence?.stretch.start, sentence?.stretch.end) ?? '';
  return SOFTWARE_CUE.test(text) && !IS_KIT.test(reading.document.blocks[block]?.text.slice(end, end + 60) ?? '');
}
/** "TaqMan Reverse Transcription Reagents": what is bought in a box. */
const IS_KIT = /^[^.;,]{0,40}\b(?:kits?|reagents?|polymerases?|RT-q?PCR|qPCR|mix|assays?|arrays?)\b/iu;
const SOFTWARE_CUE =
  /software|program|package|version|\bv\.? ?\d|\btool|toolbox|server|library|libraries|plug-?in|script|\bcode\b|implement|using|analy[sz]ed|calculated|performed|\b(?:Inc|Corp|Ltd|LLC|GmbH)\b/i;

const OF_ANIMALS = /^(?:bovine|porcine|murine|canine|feline|equine|ovine|caprine|avian|simian|leporine)$/iu;
const CODE = /^\p{Lu}{1,2}0\d+$|^RI ?\d+$|%|^(?:number|yield|total|sum) /iu;
/** Cells that give current, and banks of cells. */
const NO_LIVING_CELL =
  /batter|-ion\b|\b(?:fuel|solar|photovoltaic|galvanic|electro\p{Ll}*|coin|pouch|baseline|unit|NCBI|ATCC|ECACC|DSMZ)\b/iu;
const SHORT_PLACES: ReadonlySet<string> = new Set(['UK', 'US', 'USA', 'UAE', 'EU']);
/** One word in lower case that says how something is: "nuclear", "neurological", "hairy". */
const ADJECTIVE = /^\p{Ll}+(?:al|ic|ar|ous|ive|ary|ory|able|ible|ed|ing|less|ly|ry|sy)$/u;
/** Names of chemicals end like some of these: "citral", "indole-3-acetonitrile". */
const CHEMICAL_ADJECTIVE = /^\p{Ll}+(?:ic|ous|ive|ary|ory|able|ed|ing|less|ly)$/u;

/** Words before a name that the model took for a part of it. */
const LEADING =
  /^(?:(?:be|is|are|was|were|the|a|an|of|in|by|with|and|or|for|to|from|similar|this|these|that|such|as|our|their|its|each|all|both|using|no)\s+)+/i;

/** Words that alone, or with each other, name nothing. */
const NO_NAME: ReadonlySet<string> = new Set(
  (
    'disease diseases disorder disorders illness syndrome symptom symptoms patient patients drug drugs treatment treatments therapy ' +
    'chemical chemicals compound compounds substance substances acid acids gene genes protein proteins enzyme enzymes antibody ' +
    'antibodies organism organisms species animal animals plant plants virus viruses bacteria bacterium human humans people ' +
    'person persons man men woman women child children infant infants newborn newborns adolescent adolescents adult adults boy boys girl girls student students worker workers cell cells tissue tissues material materials sample samples method methods approach ' +
    'approaches model models technique techniques algorithm algorithms system systems analysis analyses study studies data dataset ' +
    'datasets database databases measure measures metric metrics score scores rate rates value values group groups subject ' +
    'subjects participant participants control controls population populations country countries city area areas region regions ' +
    'place places north south east west university hospital department institute company organisation organization software ' +
    'program package code codes script scripts pipeline pipelines server servers library libraries app apps website tool tools version device devices equipment instrument instruments infection infections toxicity pain ' +
    'essential volatile crude raw iso en nf smoke smoking plume culture cultures line lines event events death deaths solution solutions mixture water body test tests result results figure table'
  ).split(' '),
);

/** Of two stretches that overlap, the one that the model is surer of. */
function withoutOverlaps(mentions: readonly Mention[]): Mention[] {
  const byBlock = Map.groupBy(mentions, ({ block, cell }) =>
    cell ? `${block}:${cell.row}:${cell.column}` : `${block}`,
  );
  return [...byBlock.values()].flatMap((group) => {
    const kept: Mention[] = [];
    const best = group.toSorted((a, b) => b.sure - a.sure || b.end - b.start - (a.end - a.start) || a.start - b.start);
    for (const mention of best) if (!kept.some((other) => overlap(mention, other))) kept.push(mention);
    return kept.toSorted((a, b) => a.start - b.start);
  });
}

function overlap(a: Stretch, b: Stretch): boolean {
  return a.start < b.end && b.start < a.end;
}

/** One name has one type in a paper: that of which the model is surest, all its sentences together. */
function likeliestType(group: readonly Mention[]): EntityKind {
  const sums = new Map<EntityKind, number>();
  for (const { label, sure } of group) sums.set(label, (sums.get(label) ?? 0) + sure);
  return [...sums].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

function mostFrequent(printed: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of printed) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0] as [string, number])[0];
}

/**
 * The names of a paper. An abbreviation has the name of the long form that this paper gives it, if it gives it only one;
 * "E. coli" that of the only species of the paper with these letters.
 */
function namesIn(reading: Reading, mentions: readonly Mention[]): (mention: Mention) => Named {
  const longForms = new Map<string, Map<string, string>>();
  for (const { block } of reading.prose)
    for (const { short, long } of findAbbreviations(block.text))
      if (hasSameNumbers(short.text, long.text))
        add(longForms, short.text, long.text.replaceAll(/\s+/g, ' ').replace(LEADING, ''));
  for (const { block } of reading.prose)
    for (const { 1: short = '', 2: long = '' } of block.text.matchAll(LISTED))
      if (hasLetters(long, short)) add(longForms, short, long.trim());
  const species = new Map<string, Map<string, string>>();
  for (const { printed } of mentions) {
    const initial = speciesInitial(printed);
    if (initial !== undefined) add(species, initial, printed.split(' ').slice(0, 2).join(' '));
  }
  const only = (forms: ReadonlyMap<string, string> | undefined): string | undefined =>
    forms?.size === 1 ? [...forms.values()][0] : undefined;
  return ({ printed, country, label: type }) => {
    if (country !== undefined)
      return {
        name: entityName(country, 'place'),
        label: country,
        via: country === printed ? null : { reason: 'country', of: country },
      };
    // "SSE" where the paper defines "SSEs", and the other way round.
    const plural = printed.endsWith('s') ? printed.slice(0, -1) : `${printed}s`;
    const long = only(longForms.get(printed) ?? longForms.get(plural));
    if (long !== undefined)
      return { name: entityName(long, type), label: long, via: { reason: 'abbreviation', of: `${long} (${printed})` } };
    const short = shortSpecies(printed);
    const full = short === undefined ? undefined : only(species.get(short));
    if (short === undefined || full === undefined)
      return { name: entityName(printed, type), label: printed, via: null };
    const whole = full + printed.slice(short.length + (printed.startsWith(short) ? 0 : -1));
    return { name: entityName(whole, type), label: whole, via: { reason: 'species', of: full } };
  };
}

/** An entry of a list of abbreviations: "PUFA = polyunsaturated fatty acid;". */
const LISTED = /(?<![\p{L}\p{N}-])(\p{Lu}[\p{L}\p{N}-]{1,9}) ?= ?(\p{L}[\p{L}\p{N} ’'/-]{4,80})(?=[,;.]|$)/gu;

/** Forms are counted once, however they are printed. */
function add(forms: Map<string, Map<string, string>>, short: string, long: string): void {
  const known = forms.get(short) ?? new Map<string, string>();
  known.set(entityName(long), known.get(entityName(long)) ?? long);
  forms.set(short, known);
}
