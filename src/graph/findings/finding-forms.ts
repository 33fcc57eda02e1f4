import { expanded } from '../../parse/index.ts';
import { alternatives } from '../names/alternatives.ts';
import type { FindingRelation } from './finding.ts';
import words from './finding-words.json' with { type: 'json' };

// The forms of clauses that state a finding, as expressions with the groups subject and object. The order matters: the
// first that fits is taken.

/** What a form gives, before it is checked. */
export interface Parts {
  readonly subject: string;
  readonly relation: FindingRelation;
  readonly object: string;
  /** What the subject is compared with, if the form says it. */
  readonly comparator?: string;
  /** How much, if the form says it. */
  readonly value?: string;
  /** Whether only two numbers say which is more. */
  readonly isCounted?: boolean;
  /** Whether the subject may be two things that were compared: "X and Z". */
  readonly isBetween?: boolean;
}

type Form = (text: string) => Parts | undefined;
type Groups = Readonly<Record<string, string | undefined>>;

const { verbs, more, less } = { verbs: words.verbs.en, more: words.more.en, less: words.less.en };
/** "significantly", "also": words before a verb or an adjective that do not change what it says. */
export const ADVERB = String.raw`(?:(?:\p{Ll}+ly(?: and)?|also|both|further|even|much|dose-dependently|thus|then) ){0,3}`;
/** Forms of "to be" that state something. */
export const BE = '(?:is|are|was|were)';
/** "higher", "fewer": more or less of something. */
export const DEGREE = alternatives([...more, ...less]);
/** Verbs that state a relation, in all their forms. */
export const VERBS = alternatives(Object.values(verbs).flat());

/** Verbs of which the opposite is that nothing changed. */
const CHANGING = alternatives([...verbs.increases, ...verbs.decreases, ...verbs.inhibits]);

const HAVE =
  '(?:had|has|have|showed|shows|show|exhibited|exhibits|exhibit|displayed|displays|display|presents?|presented|experienced|demonstrated)';
/** As `HAVE`, and what brings something about. */
const GAVE = `(?:${HAVE}|yielded|produced|gave|achieved|reached|accumulated|contained|received|reported|emitted|released|maintained)`;
const SEEN = `${BE} ${ADVERB}(?:found|observed|seen|noted|detected|identified|recorded|noticed|obtained)`;
const THAN = '(?:than(?: did)?|versus|vs\\.?|compared (?:with|to)|relative to|in comparison (?:with|to))';
const PASSIVE = alternatives(
  [...verbs.increases, ...verbs.decreases, ...verbs.inhibits].flatMap(expanded).filter((each) => each.endsWith('d')),
);
/** Kinds of a change or a relation that do not change which one it is. */
const STRENGTH =
  '(?:(?:statistically|highly|very|more|most) )?(?:significant|strong|weak|moderate|clear|good|close|linear|positive|negative|inverse|direct|marked|substantial|slight|further|great|large|small|considerable|dramatic|remarkable|notable|rapid|dose-dependent|consistent|independent|\\d[\\d.]* ?%|\\d[\\d.]*-fold|and|an?)';
const CORRELATION = `(?:\\p{Ll}+ly )?(?:${STRENGTH} ){0,4}(?:correlations?|associations?|relationships?)`;
const CHANGES: Readonly<Record<string, FindingRelation>> = {
  increase: 'increases',
  rise: 'increases',
  improvement: 'increases',
  enhancement: 'increases',
  decrease: 'decreases',
  reduction: 'decreases',
  decline: 'decreases',
  loss: 'decreases',
  drop: 'decreases',
  inhibition: 'inhibits',
  suppression: 'inhibits',
};
const CHANGE = `(?<change>(?:${Object.keys(CHANGES).join('|')})s?)`;
/** Which way something went, of verbs without an object. */
const WENT: Readonly<Record<string, FindingRelation>> = {
  increased: 'increases',
  increases: 'increases',
  rose: 'increases',
  improved: 'increases',
  decreased: 'decreases',
  decreases: 'decreases',
  declined: 'decreases',
  dropped: 'decreases',
  fell: 'decreases',
};
/** Verbs that say which way something went, in all their forms. */
export const WENT_ALONE = Object.keys(WENT).join('|');
const WENT_HOW = `(?<went>${WENT_ALONE})`;
/** What something happened by: the condition is the subject. */
const UPON = '(?:after|following|upon|under|with(?! respect| regard)|in response to|in the presence of|on exposure to)';
/** Times and usual conditions are no causes. */
const CAUSE =
  '(?!(?:the )?(?:[~≈∼]?\\d|normal|control|standard|same|similar|ambient|natural|all|both|these|first|last|second|time|study|follow-up|follow|baseline|one|two|three|four|five|six|several|few|some))';
const FROM_TO = '(?: from (?<from>[^,;]{1,30}?) to (?<to>\\d[^,;]{0,30}?))?';
const ACTIVITY =
  '(?:antibacterial|antimicrobial|antifungal|antiviral|antiprotozoal|antiparasitic|bactericidal|fungicidal|insecticidal|larvicidal|inhibitory|cytotoxic|antiproliferative|inhibition)';
const PREDICTOR =
  '(?:(?:an? |the |one of the )?(?:(?:most |strongest |only )?(?:independent|significant|strong|important|major|main|key) ){0,2}(?:predictors?|risk factors?|determinants?)(?: factors?)?)';
const OWNED = '(?:of|for|from|in|among|with|under|at)';
const NUMBER = '(?:(?:about|approximately|only|up to|nearly) )?[<>≤≥~]? ?\\d[\\d.,·]*(?: ?[±–-] ?\\d[\\d.·]*)?';
const UNIT =
  '(?: ?(?:%|‰|°C|(?!(?:in|for|with|among|at|and|versus|vs|of)(?! ?\\p{L}*/))\\p{L}[\\p{L}/·−⁻\\d-]{0,14}))?';
/** What something is compared with: one thing, or a list with "and". */
const OTHER =
  '[^,;]{2,120}(?:(?:, (?!\\p{Ll}+ing |and |which |who |that |with |but |while )[^,;]{2,40}){1,6},? and (?!\\p{Ll}+(?:ed|s) )[^,;]{2,60})?';
const SUBJECT = '^(?<subject>[^,;]{2,140}?)';
const OBJECT = '(?<object>.{2,300})$';

/** A form: an expression, and the relation or what it depends on. */
function form(
  expression: string,
  relationOf: FindingRelation | ((groups: Groups) => FindingRelation | undefined),
): Form {
  const pattern = new RegExp(expression, 'iu');
  return (text) => {
    const groups: Groups | undefined = pattern.exec(text)?.groups;
    if (!groups) return undefined;
    const relation = typeof relationOf === 'string' ? relationOf : relationOf(groups);
    const { subject = '', object = '', other, value, from, to } = groups;
    const amount = value ?? (from === undefined ? undefined : `from ${from} to ${to}`);
    return (
      relation && {
        subject,
        relation,
        object,
        ...(other !== undefined && { comparator: other }),
        ...(amount !== undefined && { value: amount.trim() }),
      }
    );
  };
}

/** A form of which the subject is two things that are alike, "X and Z". */
function alike(expression: string): Form {
  const read = form(expression, 'no difference');
  return (text) => {
    const parts = read(text);
    return parts && { ...parts, isBetween: true };
  };
}

function relationOfVerb(verb: string): FindingRelation | undefined {
  return (Object.keys(verbs) as (keyof typeof verbs)[]).find((relation) =>
    verbs[relation].flatMap(expanded).includes(verb.toLowerCase()),
  );
}
const direction = ({ degree = '' }: Groups): FindingRelation =>
  more.includes(degree.toLowerCase()) ? 'increases' : 'decreases';
const mostOf = ({ most = '' }: Groups): FindingRelation => (/^(?:low|weak)/i.test(most) ? 'decreases' : 'increases');
/** "The level showed an increase in treated samples": the subject is what changed. */
const changed = ({ change = '', subject = '', object = '', have }: Groups): FindingRelation | undefined =>
  have !== undefined && (MEASURED.test(subject) || AT_A_TIME.test(object))
    ? undefined
    : CHANGES[change.toLowerCase().replace(/s$/, '')];
/** "in contaminated grains at day 2": where it was, not what. */
const AT_A_TIME = / (?:at|on|after) (?:day|week|hour|\d)/iu;
const MEASURED =
  /^(?:the )?(?:levels?|expressions?|contents?|concentrations?|abundances?|activit(?:y|ies)|amounts?|rates?|numbers?) of /iu;
const went = ({ went: how = '' }: Groups): FindingRelation | undefined => WENT[how.toLowerCase()];

const FORMS: readonly Form[] = [
  // "There was no significant difference in Y between X and Z", "Y did not differ between X and Z"
  alike(
    `^there ${BE} no (?:statistically )?(?:significant |clear |marked )?(?:differences?|change) (?:in|of|for) (?<object>[^,;]{2,140}?) (?:between|among) (?<subject>[^,;]{2,140})$`,
  ),
  alike(
    `^no (?:statistically )?(?:significant )?differences? (?:in|of|for) (?<object>[^,;]{2,140}?) ${SEEN} (?:between|among) (?<subject>[^,;]{2,140})$`,
  ),
  alike(
    `^(?<object>[^,;]{2,140}?) (?:did|do|does) not (?:significantly )?differ(?: significantly)? (?:between|among) (?<subject>[^,;]{2,140})$`,
  ),
  alike(
    `^(?<object>[^,;]{2,140}?) ${BE} (?:not (?:significantly |statistically )?different|${ADVERB}(?:similar|comparable)) (?:between|among|in) (?<subject>[^,;]{2,140} and [^,;]{2,80})$`,
  ),
  // "Y did not increase in X"
  form(
    `^(?<object>[^,;]{2,120}?) (?:did|do|does) not ${ADVERB}(?:increase|decrease|change|decline|rise|improve)(?: \\p{Ll}+ly)? (?:in|among|${UPON}) (?<subject>${CAUSE}[^,;]{2,120})$`,
    'no difference',
  ),
  // "X had no significant effect on Y", "X did not reduce Y"
  form(
    `${SUBJECT} ${HAVE} no (?:statistically )?(?:significant |clear |measurable )?(?:effects?|impact|influence) on ${OBJECT}`,
    'no difference',
  ),
  form(
    `${SUBJECT} (?:did|do|does) not (?:significantly |markedly |substantially )?(?:affect|alter|change|influence|${CHANGING}) ${OBJECT}`,
    'no difference',
  ),
  alike(
    `^(?:there ${BE} )?no (?:statistically )?(?:significant )?differences? (?:${SEEN} )?between (?<subject>[^,;]{2,100}? (?:and|versus) [^,;]{2,80}?) (?:in|for|regarding|with respect to|in terms of) (?<object>[^,;]{2,140})$`,
  ),
  alike(
    `^(?<subject>[^,;]{2,100}? and [^,;]{2,80}?) (?:had|have|showed|exhibited) (?:a )?(?:similar|comparable) (?<object>[^,;]{2,140})$`,
  ),
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} not (?:significantly )?(?:affected|altered|changed|influenced|${PASSIVE}) by (?<subject>[^,;]{2,140})$`,
    'no difference',
  ),
  // "X was not associated with Y", "no association was found between X and Y"
  form(
    `${SUBJECT} (?:${BE} not (?:significantly |statistically )?(?:associated|correlated)|(?:did|do|does) not ${ADVERB}correlate) (?:with|to) ${OBJECT}`,
    'no difference',
  ),
  form(
    `^(?:there ${BE} )?no ${CORRELATION} (?:${SEEN} )?between (?<subject>[^,;]{2,140}?) and ${OBJECT}`,
    'no difference',
  ),
  // "Y was 34% in X and 12% in Z"
  readTwoNumbers,
  // "X and Y were positively correlated"
  form(
    `^(?<subject>[^,;]{2,80}?) and (?<object>[^,;]{2,80}?) ${BE} ${ADVERB}(?:${alternatives(words.associations.en)})(?: (?:with|to) each other)?$`,
    'associated',
  ),
  // "a positive correlation was found between X and Y", "X showed a strong correlation with Y"
  form(`^(?:an? )?${CORRELATION} between (?<subject>[^,;]{2,140}?) and (?<object>[^,;]{2,140}?) ${SEEN}`, 'associated'),
  form(
    `^(?:there ${BE} )?(?:an? )?${CORRELATION} (?:${SEEN} )?between (?<subject>[^,;]{2,140}?) and ${OBJECT}`,
    'associated',
  ),
  // "the association between X and Y was significant"
  form(
    `^(?:the )?(?:total |overall |direct |indirect )?${CORRELATION} between (?<subject>[^,;]{2,140}?) and (?<object>[^,;]{2,140}?) ${BE} (?:statistically |highly )?(?:significant|strong|positive|negative)$`,
    'associated',
  ),
  form(`${SUBJECT} ${HAVE} (?:an? )?${CORRELATION} (?:with|to) ${OBJECT}`, 'associated'),
  form(`^(?:an? )?${CORRELATION} of (?<subject>[^,;]{2,140}?) with ${OBJECT}`, 'associated'),
  // "X led to a significant reduction of Y", "X resulted in an increase in Y", "X showed a 20% decrease in Y"
  form(
    `${SUBJECT} ${ADVERB}(?:led to|leads to|lead to|resulted in|results in|result in|caused|causes|produced|induced|induces|(?<have>${HAVE})) (?:an? |the )?(?:\\p{Ll}+ly )?(?:${STRENGTH} ){0,3}${CHANGE} (?:in|of) ${OBJECT}`,
    changed,
  ),
  // "a significant increase in Y was observed in X compared with Z"
  form(
    `^(?:there ${BE} )?an? (?:\\p{Ll}+ly )?(?:${STRENGTH} ){0,3}${CHANGE} (?:in|of) (?<object>[^,;]{2,120}?) (?:${SEEN} )?(?:in|among|for) (?<subject>[^,;]{2,120}?) ${THAN} (?<other>[^,;]{2,120})$`,
    changed,
  ),
  // "a significant increase in Y was observed after X"
  form(
    `^(?:there ${BE} )?an? (?:\\p{Ll}+ly )?(?:${STRENGTH} ){0,3}${CHANGE} (?:in|of) (?<object>[^,;]{2,120}?) (?:${SEEN} )?${UPON} (?<subject>${CAUSE}[^,;]{2,120})$`,
    changed,
  ),
  // "Y increased with increasing X", "Y decreased from 88% to 6% after X"
  form(
    `^(?<object>[^,;]{2,140}?) ${ADVERB}${WENT_HOW} ${ADVERB}with (?:the )?(?:increasing|increase in|increase of|increased|higher|greater|rising) (?<subject>[^,;]{2,100})$`,
    went,
  ),
  form(
    `^(?<object>[^,;]{2,140}?) ${ADVERB}(?:${BE} )?${WENT_HOW}(?: \\p{Ll}+ly)?${FROM_TO} ${UPON} (?<subject>${CAUSE}[^,;]{2,120})$`,
    went,
  ),
  // "Y decreased as X increased"
  form(
    `^(?<object>[^,;]{2,140}?) ${ADVERB}${WENT_HOW} as (?<subject>[^,;]{2,100}?) (?<cause>increased|increases|rose|decreased|decreases|declined|fell)$`,
    ({ went: how = '', cause = '' }) => {
      const isSameWay = WENT[how.toLowerCase()] === WENT[cause.toLowerCase()];
      return isSameWay ? 'increases' : 'decreases';
    },
  ),
  // "the main components of X were Y", "Y was the main component of X", "X consists of Y", "Y made up 20% of X"
  form(
    `^(?:the )?(?:main|major|principal|predominant|most abundant) (?:[\\p{L}-]+ )?(?:constituents?|components?|compounds?|ingredients?) (?:of|in|identified in|found in) (?<subject>[^,;]{2,140}?) (?:is|are|was|were) ${OBJECT}`,
    'contains',
  ),
  form(
    `^(?<object>[^;]{2,140}?) ${BE} ${ADVERB}(?:the |an? )?(?:main|major|principal|predominant|most abundant|dominant) (?:[\\p{L}-]+ )?(?:constituents?|components?|compounds?|ingredients?) (?:of|in) (?<subject>[^,;]{2,140})$`,
    'contains',
  ),
  form(
    `${SUBJECT} (?:${BE} ${ADVERB}(?:rich in|dominated by|composed ${ADVERB}of)|${ADVERB}consist(?:s|ed)? ${ADVERB}of) ${OBJECT}`,
    'contains',
  ),
  // "X was significantly associated with Y", "X correlated with Y"
  form(
    `${SUBJECT} (?:${BE} (?!then )(?:the \\p{L}+ )?${ADVERB}(?:${alternatives(words.associations.en)})|${ADVERB}correlate[sd]?) ${ADVERB}(?:with|to) ${OBJECT}`,
    'associated',
  ),
  // "Y was detected in 10 of the 11 samples of X"
  form(
    `^(?<object>[^,;]{2,100}?) ${BE} ${ADVERB}(?:detected|found|present|identified|confirmed) in (?<value>(?:\\d[\\d.,]* ?%|\\d[\\d,]* (?:out )?of (?:the )?\\d[\\d,]*)) (?:of )?(?:the |all |these |our )?(?<subject>[^,;]{2,120})$`,
    'contains',
  ),
  // "X significantly affected Y"
  form(
    `${SUBJECT} (?:significantly|strongly|markedly|greatly|substantially) (?:affect(?:s|ed)?|influence[sd]?|impact(?:s|ed)?) ${OBJECT}`,
    'associated',
  ),
  // "X was an independent predictor of Y", "independent risk factors for Y were X"
  form(
    `${SUBJECT} (?:${BE}|remained|emerged as|${BE} (?:identified|found|shown) (?:as|to be)) ${PREDICTOR} (?:of|for) ${OBJECT}`,
    'predicts',
  ),
  form(
    `^${PREDICTOR} (?:of|for) (?<object>[^,;]{2,120}?) (?:was|were|included|include|are|is) (?<subject>.{2,200})$`,
    'predicts',
  ),
  // "X was protective against Y", "X was effective in reducing Y", "X was effective against Y"
  form(`${SUBJECT} ${BE} ${ADVERB}protective (?:against|for) ${OBJECT}`, 'decreases'),
  form(
    `${SUBJECT} ${BE} ${ADVERB}(?:effective|efficient|successful) (?:in|at) (?<gerund>reducing|decreasing|lowering|preventing|improving|increasing|enhancing|inhibiting|suppressing) ${OBJECT}`,
    ({ gerund = '' }) =>
      /^(?:inhib|suppr)/i.test(gerund) ? 'inhibits' : /^(?:impr|incr|enh)/i.test(gerund) ? 'increases' : 'decreases',
  ),
  form(`${SUBJECT} ${BE} ${ADVERB}(?:active|effective) against ${OBJECT}`, 'inhibits'),
  // "X exhibited strong antibacterial activity against Y"
  form(
    `${SUBJECT} ${HAVE} (?:an? |the )?(?:(?!no |little |weak |low )[\\p{L}-]+ ){0,3}?${ACTIVITY} (?:activit(?:y|ies)|effects?|action|properties) (?:against|on|towards?) ${OBJECT}`,
    'inhibits',
  ),
  // "X were more likely to have Y than Z"
  form(
    `${SUBJECT} ${BE} ${ADVERB}(?:\\d[\\d.]* times )?(?<odds>more|less) likely to (?:have |develop |suffer from |experience |report |show |receive |be )?${OBJECT}`,
    ({ odds }) => (odds?.toLowerCase() === 'more' ? 'increases' : 'decreases'),
  ),
  // "Y was higher in X than in Z"
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} ${ADVERB}(?<degree>${DEGREE}) (?:in|on|for|among|with|after|under|during|at) (?<subject>[^,;]{2,120}? ${THAN} [^;]{2,160})$`,
    direction,
  ),
  // "a higher Y was observed in X than in Z"
  form(
    `^(?:an? |the )?${ADVERB}(?<degree>${DEGREE}) (?<object>[^,;]{2,120}?) ${SEEN} (?:in|for|among|with|after|under|at) (?<subject>[^,;]{2,120}? ${THAN} [^;]{2,160})$`,
    direction,
  ),
  // "Y was significantly higher in X"
  form(
    `^(?<object>[^,;]{2,120}?) ${BE} (?:\\p{Ll}+ly )?significantly (?<degree>${DEGREE}) (?:in|among|for|after|under) (?<subject>${CAUSE}[^,;]{2,100})$`,
    direction,
  ),
  // "X had the highest Y", "the highest Y was observed in X"
  form(`${SUBJECT} ${GAVE} the (?<most>highest|lowest|greatest|strongest|weakest) (?<object>[^,;]{2,100})$`, mostOf),
  form(
    `^the (?<most>highest|lowest|greatest|strongest|weakest) (?<object>[^,;]{2,100}?) ${SEEN} (?:in|for|among) (?<subject>${CAUSE}[^,;]{2,100})$`,
    mostOf,
  ),
  // "Y of X was higher than that of Z": the same word stands before X and Z. Without it, only one word may.
  form(
    `^(?<object>[^,;]{2,120}) (?<of>of|for|from|in|among|with|under|at) (?<subject>[^,;]{2,100}?) ${BE} ${ADVERB}(?<degree>${DEGREE}) ${THAN} (?:that |those )?\\k<of> (?<other>${OTHER})(?:,.*)?$`,
    direction,
  ),
  form(
    `^(?<object>(?:(?! ${OWNED} )[^,;]){2,100}) ${OWNED} (?<subject>(?:(?! ${OWNED} )[^,;]){2,100}?) ${BE} ${ADVERB}(?<degree>${DEGREE}) ${THAN} (?:(?:that|those) ${OWNED} )?(?<other>${OTHER})(?:,.*)?$`,
    direction,
  ),
  // "Y of X was reduced compared with Z", "Y of X increased by 20% compared with Z"
  form(
    `^(?<object>(?:(?! ${OWNED} )[^,;]){2,100}) ${OWNED} (?<subject>(?:(?! ${OWNED} | to )[^,;]){2,100}?) ${BE} ${ADVERB}(?<verb>${PASSIVE}) (?:when |as )?${THAN} (?:(?:that|those) ${OWNED} )?(?<other>${OTHER})(?:,.*)?$`,
    ({ verb = '' }) => relationOfVerb(verb),
  ),
  form(
    `^(?<object>[^,;]{2,100}?) (?:of|for|from|in|among|with) (?<subject>[^,;]{2,100}?) ${ADVERB}${WENT_HOW}(?: \\p{Ll}+ly)?(?: by (?<value>[^,;]{1,30}?))?,? (?:as |when )?(?:compared (?:with|to)|relative to|in comparison (?:with|to)) (?<other>[^,;]{2,120})$`,
    went,
  ),
  // "X had Y 5 times lower than Z"
  form(
    `${SUBJECT} ${HAVE} (?:an? )?(?<object>[^,;]{2,100}?) (?<value>[~≈]? ?\\d[\\d.]*(?: ?[-–] ?\\d[\\d.]*)? ?(?:×|x|%|times|-?fold)) (?<degree>${DEGREE}) ${THAN} (?<other>${OTHER})(?:,.*)?$`,
    direction,
  ),
  // "X yielded 60% higher Y than Z"
  form(
    `${SUBJECT} ${GAVE} (?:an? )?(?:about |approximately |nearly |almost )?(?<value>[~≈]? ?\\d[\\d.]*(?: ?[-–] ?\\d[\\d.]*)? ?(?:%|times|-?fold)) (?<degree>${DEGREE}) (?<object>[^,;]{2,100}?) ${THAN} (?<other>${OTHER})(?:,.*)?$`,
    direction,
  ),
  // "X had a significantly higher Y"
  form(`${SUBJECT} ${HAVE} (?:an? )?significantly (?<degree>${DEGREE}) (?<object>[^,;]{2,140})$`, direction),
  // "X had a higher Y than Z"
  form(
    `${SUBJECT} ${GAVE} (?:an? )?${ADVERB}(?<degree>${DEGREE}) (?<object>(?:(?! when (?!compar)).){2,200} ${THAN} .{2,120})$`,
    direction,
  ),
  // "Y was significantly reduced by X", "Y was reduced after X", "Y was reduced in X compared with Z"
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} ${ADVERB}(?<verb>${PASSIVE}) (?:by|${UPON}) (?<subject>${CAUSE}(?!about|approximately|up to|more|an? |at least|only)[^,;]{2,140})$`,
    ({ verb = '' }) => relationOfVerb(verb),
  ),
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} ${ADVERB}(?<verb>${PASSIVE}) in (?<subject>[^,;]{2,120}? ${THAN} [^,;]{2,120})$`,
    ({ verb = '' }) => relationOfVerb(verb),
  ),
  // "X was found to inhibit Y"
  form(
    `${SUBJECT} ${BE} ${ADVERB}(?:found|shown|observed|seen|able|demonstrated) to ${ADVERB}(?<verb>${VERBS}) ${OBJECT}`,
    ({ verb = '' }) => relationOfVerb(verb),
  ),
  // "X significantly reduced Y"
  form(
    `${SUBJECT} (?:${ADVERB.replace('{0,3}', '{1,3}')}(?<sure>${VERBS})|(?<verb>${VERBS})) (?!in |by |from |to |with |at |after |during |over |as |on |for |of |and |levels? of significance)${OBJECT}`,
    ({ sure, verb }) => relationOfVerb(sure ?? verb ?? ''),
  ),
];

const TWO_NUMBERS = new RegExp(
  `^(?<object>[^,;]{2,120}?) (?:was|were) (?<a>${NUMBER})(?<unit>${UNIT}) (?:in|for|with|among|at|after) (?<subject>[^,;]{2,100}?),? (?:and|but|versus|vs\\.?|(?:as )?compared (?:with|to)) (?<b>${NUMBER})(?<same>${UNIT}) (?:in|for|with|among|at|after) (?<other>[^,;]{2,100})$`,
  'iu',
);
const RESPECTIVELY = new RegExp(
  `^(?<object>[^,;]{2,120}?) (?:was|were) (?<a>${NUMBER})(?<unit>${UNIT}) (?:and|versus|vs\\.?) (?<b>${NUMBER})(?<same>${UNIT}) (?:in|for|with|among|at) (?<subject>[^,;]{2,80}?) and (?<other>[^,;]{2,80}),? respectively$`,
  'iu',
);

/** A ratio already compares: "the hazard ratio was 1.5 for survival and 1.4 for relapse". */
const RATIO = /\bratios?\b|\b(?:HR|OR|RR|SMD|WMD)s?$/iu;

/** "Y was 34% in X and 12% in Z": the numbers say which has more. */
function readTwoNumbers(text: string): Parts | undefined {
  const groups: Groups | undefined = (TWO_NUMBERS.exec(text) ?? RESPECTIVELY.exec(text))?.groups;
  if (!groups) return undefined;
  const { object = '', subject = '', other = '', a = '', b = '', unit = '', same = '' } = groups;
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first === undefined || second === undefined || first === second || RATIO.test(object)) return undefined;
  if (unit.trim() !== '' && same.trim() !== unit.trim()) return undefined;
  const value = `${a}${unit} versus ${b}${same}`;
  return {
    subject,
    relation: first > second ? 'increases' : 'decreases',
    object,
    comparator: other,
    value,
    isCounted: true,
  };
}

function numberOf(printed: string): number | undefined {
  const found = /\d[\d.,·]*/
    .exec(printed)?.[0]
    .replace(/[.,·]$/, '')
    .replaceAll(',', '')
    .replace('·', '.');
  const number = Number(found);
  return found === undefined || Number.isNaN(number) ? undefined : number;
}

/** What the first form that fits says of a clause. */
export function readForms(text: string): Parts | undefined {
  for (const read of FORMS) {
    const parts = read(text);
    if (parts) return parts;
  }
  return undefined;
}
