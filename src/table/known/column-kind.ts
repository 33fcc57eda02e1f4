import { analyse } from '../../parse/index.ts';
import type { Column } from '../cell.ts';

/** What is asked of nearly every paper, under many names. */
export type ColumnKind =
  | 'funding'
  | 'software'
  | 'country'
  | 'article type'
  | 'design'
  | 'sample size'
  | 'statistics'
  | 'result'
  | 'limitations'
  | 'comparison'
  | 'outcome'
  | 'population'
  | 'intervention'
  | 'interests'
  | 'ethics'
  | 'data'
  | 'registration';

/** Words of columns that name a kind, the more particular kinds first. */
const NAMES: readonly (readonly [ColumnKind, RegExp])[] = [
  ['funding', /\bfund(?:ing|ers?|ed|s)?\b|\bsponsor(?:s|ed|ship)?\b|\bfinanc(?:ed|ing)\b|\bfinancial support\b/i],
  ['interests', /\b(?:conflicts?|competing|declarations?) (?:of )?interests?\b/i],
  ['ethics', /\bethic(?:s|al)\b|\breview board\b|\birb\b/i],
  ['registration', /\bregist(?:ration|ry|ered)\b/i],
  ['data', /\b(?:data|code) (?:and (?:code|materials?) )?(?:availability|sharing|accessibility|available)\b/i],
  ['software', /\bsoftware\b|\bcomputer programs?\b/i],
  ['country', /\bcountr(?:y|ies)\b/i],
  ['article type', /\b(?:kind|type) of (?:article|paper|publication|report)\b|\b(?:article|paper|publication) type\b/i],
  ['design', /\bdesigns?\b|\b(?:kind|type) of (?:study|review|trial)\b|\b(?:study|review|trial) type\b/i],
  [
    'sample size',
    /\bsample sizes?\b|\bhow many (?:participants|patients|subjects|people|persons|samples|animals)\b|\bnumber of (?:participants|patients|subjects)\b/i,
  ],
  ['statistics', /\bstatistic(?:s|al)?\b/i],
  ['limitations', /\blimitations?\b|\bweakness(?:es)?\b/i],
  ['outcome', /\b(?:outcomes?|end ?points?)\b/i],
  [
    'result',
    /\b(?:main|key|principal|primary|major) (?:results?|findings?|conclusions?)\b|^(?:results?|findings?|conclusions?)$/i,
  ],
  ['comparison', /\bcomparisons?\b|\bcomparators?\b|\bcontrol groups?\b|\bcontrols?\b|\bcompared with\b/i],
  ['intervention', /\binterventions?\b|\bexposures?\b/i],
  ['population', /\bpopulations?\b/i],
];

/** Words that columns of any kind may have beside its name; others ask for something particular. */
const GENERAL_WORDS = `study studies studied paper article work research trial authors analysis analyses analysed data method
  methods test tests statement approval availability main primary key used use did does was were is are what which who how
  where when it its this and or of the a an in on by for to with done carried out made conducted any performed
  measure measures measured design type kind sample size participants patients subjects people persons samples items number
  included enrolled country region countries population material materials group groups intervention treatment exposure
  comparison compared comparator control result results finding findings conclusion find show outcome outcomes endpoint
  statistical statistics software package packages program programs computer version limitation limitations weakness
  weaknesses named acknowledged report reported declare declared state stated source sources funding funder funders funded
  sponsor sponsors financial support supported conflict conflicts competing interest interests ethics ethical committee board
  review institutional obtained given approved registration registered registry code available sharing shared`;
const GENERAL = new Set(analyse(GENERAL_WORDS));

/** Kinds that a paper has several of, if it is asked about something particular: results, comparisons, outcomes. */
const MAY_BE_PARTICULAR: ReadonlySet<ColumnKind> = new Set([
  'statistics',
  'result',
  'comparison',
  'outcome',
  'population',
  'intervention',
  'limitations',
]);

/** The kind that a column asks for; undefined if it asks for something particular, such as "assembly software". */
export function kindOf({ name, question, type, unit }: Column): ColumnKind | undefined {
  if (type === 'yes/no' || type === 'choice' || unit !== null) return undefined;
  for (const asked of new Set([name, question])) {
    const found = isGeneral(asked) ? NAMES.find(([, pattern]) => pattern.test(asked))?.[0] : undefined;
    if (found === undefined || (type === 'number' && found !== 'sample size')) continue;
    if (!MAY_BE_PARTICULAR.has(found) || (isGeneral(name) && isGeneral(question))) return found;
  }
  return undefined;
}

function isGeneral(asked: string): boolean {
  return analyse(asked).every((word) => GENERAL.has(word));
}
