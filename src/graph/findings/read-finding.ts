import { expanded } from '../../parse/index.ts';
import { alternatives } from '../names/alternatives.ts';
import type { Finding, FindingRelation } from './finding.ts';
import words from './finding-words.json' with { type: 'json' };

// Reads a finding from one sentence, by the form of the sentence and the words in finding-words.json. It says nothing of a
// sentence that it does not understand whole: precision comes before completeness.

const { verbs, more, less } = { verbs: words.verbs.en, more: words.more.en, less: words.less.en };
const ADVERB = String.raw`(?:(?:\p{Ll}+ly|also|both|further|even|dose-dependently|markedly) ){0,3}`;
const BE = '(?:is|are|was|were)';
const UNSURE = new RegExp(`(?<![\\p{L}-])(?:${alternatives(words.unsure.en)})(?![\\p{L}-])`, 'iu');
const OTHERS = new RegExp(`(?<![\\p{L}-])(?:${alternatives(words.others.en)})(?![\\p{L}-])`, 'iu');
const NEGATED = /\b(?:not|no|nor|neither|without|fail(?:s|ed)?|lack(?:s|ed)?|unable|did ?n’t|never)\b/i;

/** "Our results showed that", "In this study, we found that", "As shown in Table 3,". */
const REPORTED =
  /^(?:[^,;]{0,80}, )?(?:(?:the |our |these |this |present |current |main |new |study’s )*(?:results?|findings?|data|study|analys[ei]s|experiments?|meta-analysis|trial|work|review|paper|authors?|we|it was)(?: of [^,;]{1,60}?| from [^,;]{1,60}?| here)?) (?:\p{Ll}+ly |also |here )*(?:found|show(?:s|ed|n)?|demonstrate[sd]?|indicate[sd]?|reveal(?:s|ed)?|observed?|conclude[sd]?|confirm(?:s|ed)?|report(?:s|ed)?|noted)(?: here| in (?:this|our) study)? that /iu;
/** An adverb or an adverbial phrase before the subject. */
const ADVERBIAL =
  /^(?:(?:\p{Lu}\p{Ll}+ly|Moreover|Furthermore|However|Thus|Therefore|Hence|Overall|Here|Also|Additionally|Besides|Finally|First|Second|Third|Notably|As expected|In addition|In conclusion|In contrast|By contrast|In summary|On the other hand|For example|Indeed|Consequently|As a result|Taken together|In particular|In general|In our study|In this study|In the present study|As shown in [^,]{1,40}|Results|Conclusions?|Findings|Main outcomes?)[,:]? )+/u;
const SETTING = /^(?:In|Among|For|At|After|Within|During|Following|With|Under) ([^,;]{3,120}), (?=\p{L})/u;

/** Where a part of a sentence ends. */
const CLAUSE =
  /[;:]|,? (?:while|whereas|but|although|though|because|since|when|which|who|that|suggesting|indicating|resulting|leading|thereby|thus|as well as|rather than|even|via|through|by means of|due to|followed by|and (?:was|were|is|are|had|has|have|did|does|showed|no|not|increased|decreased|reduced|improved|inhibited|the|this|these|that|to|may|can)) ?|, (?:\p{Ll}+ing|compared|compar|respectively|with|in|at|and (?:\p{L}+ ){0,6}(?:was|were|is|are|had|did))\b|, $/iu;
const COMPARED =
  /,? (?:as )?(?:(?:when |in )?compar(?:ed|ison) (?:with|to)|relative to|versus|vs\.?|than) (?:(?:was|were|is|are) )?(?:that |those )?(?:(?:of|in|for|with|from) )?(?<what>.+)$/iu;
const PEOPLE = alternatives(words.people.en);
const IN_PEOPLE = new RegExp(
  ` (?:in|among) (?<who>(?:(?!in |among |than |with )[^,;]){0,60}?(?<![\\p{L}])(?:${PEOPLE})(?![\\p{L}])[^,;]{0,60})$`,
  'iu',
);

/** A sentence without what stands in brackets, and the first bracket with a number. */
function withoutBrackets(sentence: string): { readonly plain: string; readonly value: string | null } {
  let value: string | null = null;
  let plain = sentence;
  for (let before = ''; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(/ ?[([]([^()[\]]{0,300})[)\]]/g, (_, inner: string) => {
      if (value === null && IS_VALUE.test(inner)) value = inner.trim();
      return '';
    });
  }
  return { plain: plain.replaceAll(/\s+/g, ' ').trim(), value };
}

/** A number with what it is: "OR 1.46, 95% CI 1.1–1.9", "p = .01", "27 %"; not a year or the number of a figure. */
const IS_VALUE = /\d(?:[.·]\d+)? ?%|[<>=≤≥±∼~] ?\d|\bCI\b|\d ?[-–×] ?\d{1,9} ?\p{L}|\d[.·]\d/u;
/** What a pattern gives, before it is checked. */
interface Parts {
  readonly subject: string;
  readonly relation: FindingRelation;
  readonly object: string;
}

type Form = (text: string) => Parts | undefined;

/** A form of sentences: an expression with the groups subject, object and what the relation depends on. */
function form(
  expression: string,
  relationOf: FindingRelation | ((groups: Record<string, string>) => FindingRelation | undefined),
): Form {
  const pattern = new RegExp(expression, 'iu');
  return (text) => {
    const groups = pattern.exec(text)?.groups;
    if (!groups) return undefined;
    const relation = typeof relationOf === 'string' ? relationOf : relationOf(groups);
    const { subject = '', object = '' } = groups;
    return relation && { subject, relation, object };
  };
}

const verbOf = (verb: string): FindingRelation | undefined =>
  (Object.keys(verbs) as (keyof typeof verbs)[]).find((relation) =>
    verbs[relation].flatMap(expanded).includes(verb.toLowerCase()),
  );
const direction = ({ degree = '' }: Record<string, string>): FindingRelation =>
  more.includes(degree.toLowerCase()) ? 'increases' : 'decreases';

const VERBS = alternatives(Object.values(verbs).flat());
const PASSIVE = alternatives(
  [...verbs.increases, ...verbs.decreases, ...verbs.inhibits].flatMap(expanded).filter((each) => each.endsWith('d')),
);
const DEGREE = alternatives([...more, ...less]);
const CORRELATION =
  '(?:\\p{Ll}+ly )?(?:statistically |significant |strong |weak |moderate |clear |good |close |linear |positive |negative |inverse |direct |and ){0,4}(?:correlation|association|relationship)';
const CHANGES: ReadonlyMap<string, FindingRelation> = new Map([
  ['increase', 'increases'],
  ['rise', 'increases'],
  ['decrease', 'decreases'],
  ['reduction', 'decreases'],
  ['decline', 'decreases'],
  ['inhibition', 'inhibits'],
  ['suppression', 'inhibits'],
]);
const SUBJECT = '^(?<subject>[^,;]{2,140}?)';
const OBJECT = '(?<object>.{2,300})$';
/** A verb that stands as one has an adverb before it or an article behind it; "increased risk" has neither. */
const ARTICLE =
  '(?=(?:the|both|all|its|their|each|overall|total|mean|median|average|serum|plasma|intracellular|levels?|expression|concentrations?) )';

const FORMS: readonly Form[] = [
  // "There was no significant difference in Y between X and Z", "Y did not differ between X and Z"
  form(
    '^there (?:was|were|is|are) no (?:statistically )?(?:significant |clear |marked )?(?:differences?|change) (?:in|of|for) (?<object>[^,;]{2,140}?) between (?<subject>[^,;]{2,140})$',
    'no difference',
  ),
  form(
    `^no (?:statistically )?(?:significant )?differences? (?:in|of|for) (?<object>[^,;]{2,140}?) ${BE} (?:found|observed|seen|noted|detected) between (?<subject>[^,;]{2,140})$`,
    'no difference',
  ),
  form(
    `^(?<object>[^,;]{2,140}?) (?:did|do|does) not (?:significantly )?differ(?: significantly)? between (?<subject>[^,;]{2,140})$`,
    'no difference',
  ),
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} (?:not (?:significantly )?different|similar|comparable) between (?<subject>[^,;]{2,140})$`,
    'no difference',
  ),
  // "X had no significant effect on Y"
  form(
    `${SUBJECT} (?:had|has|have|showed) no (?:statistically )?(?:significant |clear |measurable )?(?:effects?|impact|influence) on ${OBJECT}`,
    'no difference',
  ),
  form(
    `${SUBJECT} (?:did|do|does) not (?:significantly |markedly )?(?:affect|alter|change|influence) ${OBJECT}`,
    'no difference',
  ),
  form(
    `^(?:there (?:was|were) )?no (?:statistically )?(?:significant )?differences? (?:${BE} (?:found|observed|seen|noted|detected) )?between (?<subject>[^,;]{2,140}?) (?:in|for|regarding|with respect to|in terms of) (?<object>[^,;]{2,140})$`,
    'no difference',
  ),
  form(
    `^(?<subject>[^,;]{2,100}? and [^,;]{2,80}?) (?:had|have|showed|exhibited) (?:a )?(?:similar|comparable) (?<object>[^,;]{2,140})$`,
    'no difference',
  ),
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} not (?:significantly )?(?:affected|altered|changed|influenced) by (?<subject>[^,;]{2,140})$`,
    'no difference',
  ),
  // "a positive correlation was found between X and Y"
  form(
    `^(?:there (?:was|is) )?an? ${CORRELATION} (?:${BE} (?:also )?(?:found|observed|seen|noted|detected|identified) )?between (?<subject>[^,;]{2,140}?) and ${OBJECT}`,
    'associated',
  ),
  // "X led to a significant reduction of Y", "X resulted in an increase in Y"
  form(
    `${SUBJECT} (?:led to|leads to|lead to|resulted in|results in|result in|caused|causes|produced|induced|induces) (?:an? )?(?:\\p{Ll}+ly )?(?:significant |marked |substantial |strong |further |\\d[\\d.]* ?%? )?(?<change>increases?|rise|decreases?|reductions?|decline|inhibition|suppression) (?:in|of) ${OBJECT}`,
    ({ change = '' }) => CHANGES.get(change.toLowerCase().replace(/s$/, '')),
  ),
  // "Y increased with increasing X"
  form(
    `^(?<object>[^,;]{2,140}?) ${ADVERB}(?<verb>increased|increases|decreased|decreases|declined) ${ADVERB}with (?:the )?(?:increasing|increase in|increase of|increased|higher|greater|rising) (?<subject>[^,;]{2,100})$`,
    ({ verb = '' }) => (/^inc/i.test(verb) ? 'increases' : 'decreases'),
  ),
  // "the main components of X were Y"
  form(
    `^(?:the )?(?:main|major|principal|predominant|most abundant) (?:[\\p{L}-]+ )?(?:constituents?|components?|compounds?|ingredients?) (?:of|in|identified in|found in) (?<subject>[^,;]{2,140}?) (?:is|are|was|were) ${OBJECT}`,
    'contains',
  ),
  form(
    `${SUBJECT} ${BE} (?:${ADVERB}rich in|dominated by|mainly composed of|composed mainly of) ${OBJECT}`,
    'contains',
  ),
  // "X was significantly associated with Y", "X correlated with Y"
  form(
    `${SUBJECT} (?:${BE} ${ADVERB}(?:${alternatives(words.associations.en)})|${ADVERB}correlate[sd]) (?:with|to) ${OBJECT}`,
    'associated',
  ),
  form(`${SUBJECT} ${BE} (?:${alternatives(words.predictors.en)}) ${OBJECT}`, 'predicts'),
  // "Y was higher in X than in Z"
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} ${ADVERB}(?<degree>${DEGREE}) (?:in|for|among|with|after|under) (?<subject>[^,;]{2,120}? than [^;]{2,160})$`,
    direction,
  ),
  // "Y of X was higher than that of Z"
  form(
    `^(?<object>[^,;]{2,100}?) (?:of|for|from|in) (?<subject>[^,;]{2,100}? ${BE} ${ADVERB}(?<degree>${DEGREE}) than (?:that |those )?(?:(?:of|for|from|in) )?[^,;]{2,120})(?:,.*)?$`,
    direction,
  ),
  // "X had a significantly higher Y"
  form(
    `${SUBJECT} (?:had|has|have|showed|exhibited|displayed) (?:an? )?significantly (?<degree>${DEGREE}) (?<object>[^,;]{2,140})$`,
    direction,
  ),
  // "X had a higher Y than Z"
  form(
    `${SUBJECT} (?:had|has|have|showed|exhibited|displayed) (?:an? )?${ADVERB}(?<degree>${DEGREE}) (?<object>.{2,200} (?:than|compared (?:with|to)) .{2,120})$`,
    direction,
  ),
  // "Y was significantly reduced by X"
  form(
    `^(?<object>[^,;]{2,140}?) ${BE} ${ADVERB}(?<verb>${PASSIVE}) by (?<subject>(?!\\d|about|approximately|up to|more|an? )[^,;]{2,140})$`,
    ({ verb = '' }) => verbOf(verb),
  ),
  // "X significantly reduced Y"
  form(
    `${SUBJECT} (?:${ADVERB.replace('{0,3}', '{1,3}')}(?<sure>${VERBS})|(?<verb>${VERBS})) (?!in |by |from |to |with |at |after |during |over |as |on |for |of |and |levels? of significance)${OBJECT}`,
    ({ sure, verb }) => verbOf(sure ?? verb ?? ''),
  ),
];

const VERB_ALONE = new RegExp(` (?<verb>${VERBS}) (?!${ARTICLE}).*$`, 'iu');
const SURE_WITHOUT_ARTICLE = new RegExp(
  `^(?:${alternatives([...verbs.inhibits, ...verbs.contains, ...verbs.predicts])}|\\p{L}+[^s]s)$`,
  'iu',
);

/** What no subject and no object begins with or has in it: it points elsewhere, or is a clause. */
const POINTS =
  /^(?:much|significantly|over|between|it|they|this|these|those|that|he|she|we|which|who|there|such|both|each|all|one|some|others?|the former|the latter|the same|results?|data|figures?|tables?|and|or|but|as|of|no|not)$/iu;
const POINTS_FIRST =
  /^(?:much|significantly|over|between|it|they|this|these|those|that|we|which|who|there|such|its|their|he|she|and|or|but|as|of|than|to|by|no|not|none|neither|with|in|from|for)\b/iu;
const IS_CLAUSE =
  /\b(?:which|who|that|whose|where|when|while|whereas|is|are|was|were|has|have|had|did|does|do|we|be|been|showed?|found|led|leads|reveal(?:s|ed)?|resulted|reported|this study|present study|current study|article|paper|online version|supplementary|limitations)\b/iu;
const MOST_WORDS = 18;
/** Longer sentences say more than one thing, and cost the expressions time. */
const LONGEST = 450;
/** Parts of an abstract that tell no results. */
const LABELLED_OTHERWISE =
  /^(?:Background|Introduction|Objectives?|Aims?|Purpose|Methods?|Design|Setting)[^.:]{0,30}[:.]/i;
/** "primary" and "both secondary" are parts of a name. */
const WORDS_OF_ORDER = /^(?:\p{L}+ )?(?:primary|secondary|tertiary|first|second|third|final|initial|main)$/iu;
/** "occupational" alone says nothing. */
const ADJECTIVE = /^\p{Ll}+(?:al|ive|ous|ic|able)$/u;

/** The finding that a sentence states; undefined if it states none, or not surely. */
export function readFinding(sentence: string): Finding | undefined {
  if (LABELLED_OTHERWISE.test(sentence) || sentence.length > LONGEST || /\?\s*$/.test(sentence)) return undefined;
  const { plain, value: bracketed } = withoutBrackets(sentence);
  if (UNSURE.test(plain) || OTHERS.test(plain)) return undefined;
  const { text, setting } = mainClause(plain.replace(/[.!]$/, ''));
  for (const read of FORMS) {
    const parts = read(text);
    if (!parts) continue;
    // "protein and reduced oedema": the subject of the verb is another one.
    if (/ (?:and|or)$/i.test(parts.subject)) return undefined;
    const finding = finished(parts, setting, bracketed);
    return finding && isSure(finding, text) ? finding : undefined;
  }
  return undefined;
}

/** A sentence without what comes before its subject; a setting that names people is the population. */
function mainClause(sentence: string): { readonly text: string; readonly setting: string | null } {
  let text = sentence.replace(REPORTED, '').replace(ADVERBIAL, '');
  const found = SETTING.exec(text);
  const setting = found?.[1] ?? null;
  if (found) text = text.slice(found[0].length);
  text = text.replace(REPORTED, '').replace(/^we (?:\p{Ll}+ly )?(?:found|observed|noted) (?:that )?/iu, '');
  [text = ''] = text.split(
    /;|(?<!^.{0,40}):|,? (?:but|while|whereas|although|though|underscoring|suggesting|indicating) /,
  );
  const isPopulation = setting !== null && new RegExp(`(?<!\\p{L})(?:${PEOPLE})(?!\\p{L})`, 'iu').test(setting);
  return { text, setting: isPopulation ? setting : null };
}

function finished(
  { subject, relation, object }: Parts,
  setting: string | null,
  bracketed: string | null,
): Finding | undefined {
  let [of, on] = [subject.trim(), relation === 'no difference' ? object.trim() : cut(object)];
  let [comparator, population, value] = [null as string | null, setting, bracketed];
  const compare = (text: string): string => {
    const found = COMPARED.exec(text);
    if (!found) return text;
    comparator ??= cut(found.groups?.['what'] ?? '') || null;
    return text.slice(0, found.index);
  };
  // "X was higher than Z", where Y stands before.
  of = compare(of).replace(new RegExp(` ${BE} ${ADVERB}(?:${DEGREE})$`, 'iu'), '');
  on = compare(on);
  if (relation === 'no difference') {
    const [first, second, ...rest] = of.split(/ and | versus | vs\.? /);
    if (second !== undefined && rest.length === 0) [of, comparator] = [first ?? of, second];
    on = cut(on);
  }
  const group = IN_PEOPLE.exec(on);
  if (group && group.index > 1) {
    population ??= group.groups?.['who'] ?? null;
    on = on.slice(0, group.index);
  }
  const amount =
    / by (?<value>(?:about |approximately |up to |more than |nearly )?[\d.,·]+(?: ?[-–] ?[\d.,·]+)? ?(?:%|-?fold|times)?[^,;]{0,30})$/iu.exec(
      on,
    );
  if (amount) {
    value ??= amount.groups?.['value'] ?? null;
    on = on.slice(0, amount.index);
  }
  const [tidySubject, tidyObject] = [tidy(of), tidy(on)];
  return tidySubject === '' || tidyObject === ''
    ? undefined
    : {
        subject: tidySubject,
        relation,
        object: tidyObject,
        population,
        comparator: comparator && tidy(comparator),
        value,
      };
}

/** The text before the next clause. */
function cut(text: string): string {
  const end = CLAUSE.exec(text)?.index ?? text.length;
  return text.slice(0, end);
}

function tidy(text: string): string {
  return text
    .replace(/^(?:the|an?|both|also) /iu, '')
    .replace(/(?:,| (?:and|or|respectively|significantly|as well|in this study|in our study|however))$/iu, '')
    .trim();
}

function isSure({ subject, relation, object, comparator }: Finding, text: string): boolean {
  for (const part of [subject, object]) {
    if (part.split(' ').length > MOST_WORDS || !/\p{L}{2}/u.test(part)) return false;
    if (POINTS.test(part) || POINTS_FIRST.test(part) || IS_CLAUSE.test(part)) return false;
  }
  if (ADJECTIVE.test(object) || WORDS_OF_ORDER.test(subject) || (comparator === null && /\bgroups?$/.test(subject)))
    return false;
  // A model that predicts a shape has not found that one thing foretells another.
  if (relation === 'predicts' && /\b(?:analys[ei]s|models?|modell?ing|simulations?|theory)\b/i.test(subject))
    return false;
  if (relation !== 'no difference' && NEGATED.test(text)) return false;
  if (subject.toLowerCase() === object.toLowerCase()) return false;
  // "increased risk" after a noun is no verb.
  const alone = VERB_ALONE.exec(text.slice(text.indexOf(subject) + subject.length));
  const isAlone = alone?.index === 0 && !SURE_WITHOUT_ARTICLE.test(alone.groups?.['verb'] ?? '');
  return (
    !isAlone &&
    ![subject, object].some((part) => /\b(?:with|of|an?|the|by|for|to|in|and|from)$/i.test(part)) &&
    !/^[\d.,]+(?:[ %]|$)/.test(object)
  );
}
