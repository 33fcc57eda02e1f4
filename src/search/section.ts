import { sectionOfHeading } from '../parse/index.ts';

export const SECTIONS = [
  'body',
  'abstract',
  'introduction',
  'methods',
  'results',
  'discussion',
  'conclusion',
  'front',
  'references',
  'back',
] as const;

export type Section = (typeof SECTIONS)[number];

/** Parts that say nothing about the subject: authors, funding, references. Searched only on request. */
const ASIDE: ReadonlySet<Section> = new Set(['front', 'references', 'back']);

export function isAside(section: Section): boolean {
  return ASIDE.has(section);
}

/** Words of questions about what stands behind the text: funding, interests, ethics, data, contributions. */
const ASKS_BACK_MATTER =
  /\b(?:fund(?:ed|er|ers|ing|s)|grants?|sponsor\p{L}*|financ\p{L}*|paid for|conflicts? of interest|competing interests?|interests|disclos\p{L}*|ethic\p{L}*|(?:review board|committee) approv\p{L}*|informed consent|data (?:availab\p{L}*|access\p{L}*|sharing)|(?:data|code|software|materials?) (?:be |is |are )?(?:available|deposited|shared)|contribut\p{L}*|acknowledge?\p{L}*|thank\p{L}*|abbreviations?|supplement\p{L}*|trial registration|registered)\b/iu;

/** The sections that a question searches: back matter too if it asks for it; undefined for the usual ones. */
export function askedSections(question: string): readonly Section[] | undefined {
  return ASKS_BACK_MATTER.test(question.slice(0, 1_000))
    ? SECTIONS.filter((section) => section === 'back' || !isAside(section))
    : undefined;
}

export type SectionWeights = Readonly<Partial<Record<Section, number>>>;

/**
 * Introductions report findings of others, methods repeat the words of a question. Text under an unknown heading may be
 * results. Tuned with `npm run score:answers`.
 */
const FINDINGS: SectionWeights = { introduction: 0.6, methods: 0.6, discussion: 0.7, conclusion: 0.8 };
const METHODS: SectionWeights = { introduction: 0.6, discussion: 0.6, conclusion: 0.6, results: 0.8 };

const IS_QUESTION =
  /\?\s*$|^\s*(?:how|what|which|who|whose|where|when|do|does|did|is|are|was|were|can|could|has|have|had|should)\b/i;
/** Asks for background or reasons, which any part may contain. */
const ASKS_BACKGROUND =
  /^\s*(?:why|(?:what|who) (?:is|are) (?:an? |the )?[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+)?\s*\?*$|what does .{1,80} mean\b)/iu;
const ASKS_METHODS = [
  /\bhow (?:was|were|is|are) .{1,200}\b(?:measured|assessed|determined|quantified|collected|sampled|recruited|diagnosed|defined|calculated|estimated|performed|prepared|synthesi[sz]ed|extracted|selected|analy[sz]ed|trained|conducted|carried out|obtained)\b/i,
  /\bhow did (?:they|you|we|the (?:authors?|study|researchers|investigators))\b/i,
  /\b(?:what|which|whose) (?:[\p{L}-]+ ){0,3}(?:methods?|protocols?|procedures?|instruments?|software|criteria|techniques?|assays?|designs?|doses?|dosage|data ?sets?|sample sizes?)\b/iu,
] as const;

/** The weights of a paper's parts for a question; all equal if the query is not a question. */
export function sectionWeights(question: string): SectionWeights {
  const asked = question.slice(0, 1_000);
  if (!IS_QUESTION.test(asked) || ASKS_BACKGROUND.test(asked)) return {};
  return ASKS_METHODS.some((pattern) => pattern.test(asked)) ? METHODS : FINDINGS;
}

const ASKS_FINDING =
  /\b(?:compar(?:e[ds]?|ing|ison)|differ(?:s|ed|ent|ently|ences?)?|effects?|effective(?:ness)?|efficacy|affect(?:s|ed)?|influences?|impact|outcomes?|increases?|decreases?|reduces?|improves?|lowers?|raises?|prevents?|better|worse|higher|lower|more|less|fewer|greater|superior|inferior|than|versus|vs|associated|association|correlates?|correlation)\b/i;
const REPORTS =
  /\b(?:significan\p{L}*|compar(?:ed|ing|ison)|versus|vs|than|higher|lower|greater|fewer|more|less|differ(?:s|ed|ences?)?|similar|equal|increas\p{L}*|decreas\p{L}*|reduc\p{L}*|improv\p{L}*|declin\p{L}*|worse\p{L}*|effects?|associated|correlat\p{L}*|p ?[<=>≤≥])/giu;
/** A passage with this many of these words reports findings; one without any gets the lower weight. */
const ENOUGH_REPORTS = 6;
const REPORTS_SHARE = 0.4;

/**
 * For questions about comparisons and effects: methods name all that was compared, only findings say which was higher.
 * Tuned with `npm run score:answers`. Do not rank papers by it: on the abstracts of Cranfield that costs .05 nDCG.
 */
export function findingWeight(question: string, enough = ENOUGH_REPORTS): ((text: string) => number) | undefined {
  const asked = question.slice(0, 1_000);
  if (sectionWeights(asked) !== FINDINGS || !ASKS_FINDING.test(asked)) return undefined;
  return (text) => 1 - REPORTS_SHARE * (1 - Math.min(1, (text.match(REPORTS)?.length ?? 0) / enough));
}

export interface SectionClues {
  readonly headings: readonly string[];
  readonly kinds: readonly string[];
  readonly text: string;
  /** The document's title, which does not count as text at the head of a passage. */
  readonly title?: string;
  /** Among the passages of its document. */
  readonly index: number;
}

/** By the headings above a passage, otherwise by its contents. */
export function sectionOf({ headings, kinds, text, title = '', index }: SectionClues): Section {
  const references = kinds.filter((kind) => kind === 'reference').length;
  if (references > 0 && kinds.every((kind) => kind === 'reference' || kind === 'heading')) return 'references';
  // The innermost known heading counts: "Methods" inside "Appendix" is methods.
  for (const heading of headings.toReversed()) {
    const found = sectionOfHeading(heading);
    // Manuscripts have their tables and figures behind the references, and printed ones stand where there is room.
    if (found && isAside(found) && FLOATS.has(kinds[0] ?? '')) return 'body';
    if (found) return found;
  }
  if (references > 0) return 'references';
  // Before the first heading are title, authors and affiliations; an abstract without a heading is prose.
  if (headings.length === 0 && index < FRONT_PASSAGES && !saysSomething(text, kinds.includes('title') ? title : ''))
    return 'front';
  return 'body';
}

/** Blocks that begin a passage of their own, with their captions. */
const FLOATS: ReadonlySet<string> = new Set(['table', 'picture']);
const FRONT_PASSAGES = 3;
/** In prose most words begin in lower case, unlike in names and addresses. */
const SHARE_OF_SMALL = 0.55;
/** This many words of prose in a row distinguish it from a list, even if both are in one passage. */
const WINDOW = 25;

/** Whether a passage contains sentences besides the title at its head. */
function saysSomething(text: string, title: string): boolean {
  const rest = title !== '' && text.startsWith(title) ? text.slice(title.length).trim() : '';
  return rest === '' ? hasProse(text) : hasProse(rest, 1);
}

/** Whether some part of a text reads like sentences and not like names, addresses and numbers. */
function hasProse(text: string, fewestWords = 8): boolean {
  // Scripts without letter case: sentences end with a full stop, lists of names do not.
  if (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text)
  )
    return /[。．؟۔.!?]\s*\S/u.test(text);
  const words = text.slice(0, 4000).match(/[\p{L}\p{N}@][\p{L}\p{N}\p{M}@.'’-]*/gu) ?? [];
  const small = words.map((word) => (/^\p{Ll}/u.test(word) && !word.includes('@') ? 1 : 0));
  const window = Math.min(WINDOW, words.length);
  // Too short to judge: assume a note and not a list of names.
  if (window < fewestWords) return true;
  let count = 0;
  for (const [at, each] of small.entries()) {
    count += each;
    if (at >= window) count -= small[at - window] as number;
    if (at >= window - 1 && count / window >= SHARE_OF_SMALL) return true;
  }
  return false;
}
