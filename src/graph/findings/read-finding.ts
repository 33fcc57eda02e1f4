import { alternatives } from '../names/alternatives.ts';
import type { Finding, FindingRelation } from './finding.ts';
import type { Parts } from './finding-forms.ts';
import { ADVERB, BE, DEGREE, readForms, VERBS, WENT_ALONE } from './finding-forms.ts';
import words from './finding-words.json' with { type: 'json' };

// Reads findings from one sentence, clause by clause, by their form (`finding-forms.ts`) and the words in
// finding-words.json. It says nothing of a clause that it does not understand whole: precision comes before completeness.

const anyOf = (phrases: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}-])(?:${alternatives(phrases)})(?![\\p{L}-])`, 'iu');
/** In a clause: it is not sure. In a sentence: none of its clauses is what this paper found. */
const UNSURE = anyOf(words.unsure.en);
const SUPPOSED = anyOf(words.supposed.en);
const OTHERS = anyOf(words.others.en);
const NEGATED = /\b(?:not|no|nor|neither|fail(?:s|ed)?|lack(?:s|ed)?|unable|did ?n’t|never)\b/i;

/** "Our results showed that", "In this study, we found that", "As shown in Table 3,". */
const REPORTED =
  /^(?:[^,;]{0,80}, )?(?:(?:the |our |these |this |present |current |main |new |study’s )*(?:results?|findings?|data|study|(?:\p{L}[\p{L}²-]* )?(?:tests?|analys[ei]s)|experiments?|(?:Fig(?:ure)?|Table)s?\.? [\p{L}\d]{1,4}|meta-analysis|trial|work|review|paper|authors?|we|it was)(?: of [^,;]{1,60}?| from [^,;]{1,60}?| here)?) (?:\p{Ll}+ly |also |here )*(?:found|show(?:s|ed|n)?|demonstrate[sd]?|indicate[sd]?|reveal(?:s|ed)?|observed?|conclude[sd]?|confirm(?:s|ed)?|report(?:s|ed)?|noted)(?: here| in (?:this|our) study)? that /iu;
/** An adverb or an adverbial phrase before the subject. */
const ADVERBIAL =
  /^(?:(?:(?!Nearly|Only|Early|Family|Daily|Mostly|\p{L}{1,12}fly)\p{Lu}\p{Ll}+ly|Moreover|Furthermore|However|Thus|Therefore|Hence|Overall|Here|Also|Additionally|Besides|Finally|First|Second|Third|Notably|As expected|In addition|In conclusion|In contrast|By contrast|In summary|On the other hand|For example|Indeed|Consequently|As a result|Taken together|In particular|In general|In our study|In this study|In the present study|That is|that is|[Aa]s (?:shown|presented|seen|depicted|illustrated|indicated|reported|listed|summari[sz]ed) in [^,]{1,40}|[Aa]fter (?:adjust|controll)[^,]{1,80}|Based on [^,]{1,80}|According to [^,]{1,80}|Using [^,]{1,80}|From [^,]{1,60}|By [^,]{1,80}|Statistically|Interestingly|Similarly|Likewise|Meanwhile|Nevertheless|Nonetheless|however|also|Results|Conclusions?|Findings|Main outcomes?)[,:]? )+/u;
const SETTING =
  /^(In|Among|For|At|After|Within|During|Following|With|Under|Upon) ((?:[^,;]|,(?=\d{3})){3,120}), (?=\p{L})/iu;
/** "In the oil thymol (40%), borneol (20%) and": the comma is one of a list. */
const LISTED_FIRST = /^[^,;]{0,160}[)\]], /u;
/** "The resistance of the cells, measured by EIS, increases" */
const ASIDE = new RegExp(
  `^(?<head>[^,;]{3,100}), [^,;]{3,100}, (?=${ADVERB}(?:${BE}|had|has|have|showed|${VERBS}) )`,
  'iu',
);

const COMPARED_FIRST =
  /^(?:(?:When |As |In )?[Cc]ompar(?:ed|ison) (?:with|to)|Relative to|Unlike) (?:that of |those of |the )?(?<what>[^,;]{3,100}), (?=\p{L})/u;

/** Where a part of a sentence ends. */
const CLAUSE = new RegExp(
  String.raw`;|(?<! ):|(?<=\p{Ll}{3})\. |,? (?:while|whereas|but|although|though|because|since|when(?! compar)|suggesting|indicating|resulting|leading|thereby|thus|as well as|rather than|even|as (?:was|were|did|is|are)|via|through|by means of|due to|followed by|despite|except|regardless|especially|particularly|including|such as|based on|as (?:the|it|they|an?|this)|(?:and|or) between|and (?:causes|leads to|results in|increases|reduces|decreases|inhibits|promotes|prevents|enhances|improves|suppresses|provides?)|and \p{Ll}{3,}s (?:the|an?|its|their)|and then|and reached|and remained|and (?:was|were|is|are|had|has|have|did|does|showed|no|not|increased|decreased|reduced|improved|inhibited|the|this|these|that|to|may|can))(?![\p{L}\p{N}])| ranging from |, (?:which|who|that|between|\p{Ll}+ing|compared|compar|respectively|with|in|at|and (?:with|in|by|to|for|of|also)|and (?:\p{L}+ ){0,6}(?:was|were|is|are|had|did))\b|, $` +
    `| and (?:an? )?(?:\\p{Ll}+ly )?(?:${DEGREE}|increased|decreased|reduced) | more \\p{Ll}+ly |(?<! \\p{Ll}+ed) and (?:\\p{Ll}+ly )*\\p{Ll}{3,}ed (?!and )`,
  'iu',
);
const COMPARED =
  /,? (?:as )?(?:(?:when |in )?compar(?:ed|ison) (?:with|to)|relative to|versus|vs\.?|(?<!\b(?:more|less|fewer|rather|other) )than) (?:(?:was|were|is|are|did|do|does) )?(?:that |those (?!who|with)|the )?(?:(?:of|in|for|with|from|at|on|during) )?(?:the )?(?<what>.+)$/iu;
const PEOPLE = alternatives(words.people.en);
const NAMES_PEOPLE = new RegExp(`(?<!\\p{L})(?:${PEOPLE})(?!\\p{L})`, 'iu');
const IN_PEOPLE = new RegExp(
  ` (?:in|among) (?<who>(?:(?!in |among |than |with )[^,;]){0,60}?(?<![\\p{L}])(?:${PEOPLE})(?![\\p{L}])[^,;]{0,60})$`,
  'iu',
);

/** Stand for the brackets of a name. */
const [OPENED, CLOSED] = ['\uE000', '\uE001'];

/** A sentence without what stands in brackets, and the bracket with a number; one with a probability or an interval before others. */
function withoutBrackets(sentence: string): { readonly plain: string; readonly value: string | null } {
  let value: string | null = null;
  let plain = sentence;
  for (let before = ''; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(/(?<gap> ?)[([](?<inner>[^()[\]]{0,300})[)\]](?<behind>[-‐]?)/g, (whole, ...rest) => {
      const { gap = '', inner = '', behind = '' } = rest.at(-1) as Record<string, string>;
      // "(+)-valencene" and "nardosina-1(10),11-diene" are names.
      if (behind !== '' || (gap === '' && /^[\d,+−–±\p{L}-]{0,5}$/u.test(inner)))
        return whole.replace(/[([]/, OPENED).replace(/[)\]]/, CLOSED);
      if (IS_VALUE.test(inner) && (value === null || (TESTED.test(inner) && !TESTED.test(value)))) value = inner.trim();
      return '';
    });
  }
  plain = plain.replaceAll(OPENED, '(').replaceAll(CLOSED, ')');
  return { plain: plain.replaceAll(/\s+/g, ' ').trim(), value };
}

/** A number with what it is: "OR 1.46, 95% CI 1.1–1.9", "p = .01", "27 %"; not a year or the number of a figure. */
const IS_VALUE = /^(?!n ?=)(?:.*?)(?:\d(?:[.·]\d+)? ?%|[<>=≤≥±∼~] ?\d|\bCI\b|\d ?[-–×] ?\d{1,9} ?\p{L}|\d[.·]\d)/iu;
/** A verb that stands as one has an adverb before it or an article behind it; "increased risk" has neither. */
const ARTICLE =
  '(?=(?:the|both|all|its|their|each|overall|total|mean|median|average|serum|plasma|intracellular|levels?|expression|concentrations?) )';
const VERB_ALONE = new RegExp(` (?<verb>${VERBS}) (?!${ARTICLE})(?<behind>.*)$`, 'iu');
const SURE_WITHOUT_ARTICLE = new RegExp(
  `^(?:${alternatives([...words.verbs.en.inhibits, ...words.verbs.en.contains, ...words.verbs.en.predicts])}|\\p{L}+[^s]s)$`,
  'iu',
);

/** What no subject and no object begins with or has in it: it points elsewhere, or is a clause. */
const POINTS =
  /^(?:the|an?|much|significantly|over|between|it|they|this|these|those|that|he|she|we|which|who|there|such|both|each|all|one|some|others?|the former|the latter|the same|results?|data|figures?|tables?|and|or|but|as|of|no|not)$/iu;
const POINTS_FIRST =
  /^(?:results?|findings|data(?= also)|much|significantly|over|between|it|they|this|these|those(?! (?:with|without|who|having|aged))|that|we|which|who|there|such|its|their|he|she|and|or|but|as|of|than|to|by|no|not|none|neither|with|in|from|for|on|at|during|after|under|among|when|only (?:on|in|at|the)|about|approximately|nearly|almost|rapidly|more \p{Ll}+ly|since|because|while|if|although|whereas|upon|overall (?:between|in|from|by|at|with))\b/iu;
/** "many of these genes", "both genes" */
const POINTS_WITHIN =
  /\b(?:these|this|such)\b|\bthose (?!with|who|of|in|treated|exposed)|\bboth (?!.* and )|^(?:(?:all|one|two|three|four|five|six|\d+) \p{Ll}+$|(?:the )?(?:remaining|corresponding|respective|former|latter|above|aforementioned|only \d))/iu;
const IS_CLAUSE =
  /(?<![\p{L}-])(?:which|who|that|whose|where|when|while|whereas|is|are|was|were|has|have|had|did|does|do|we|be|been|show(?:s|ed)?|encode[sd]?|found|identified|exhibited|displayed|presented|becomes?|became|remained|led|leads|indicates?|indicated|reflects?|(?:increase[sd]|decrease[sd]|declined) (?:\p{Ll}+ly|in|on|at|by|from|with|during|after)|reveal(?:s|ed)?|resulted|reported|this study|present study|current study|article|paper|online version|supplementary|limitations)\b/iu;
/** "subjects who wore masks" are a subject. */
const WHO = / who(?: (?:was|were|had|have|did not))?(?= \p{Ll})/u;
/** Means by which something is seen. */
const SHOWS_ONLY =
  /=|(?:^|[\s-])(?:MS|NMR|PCR|FTIR|XRD|SEM|TEM|ELISA|ANOVA|\p{L}*(?:spectrometry|cytometry|scopy|chromatography|blotting|blots?|sequencing|phoresis))(?: \(.*)?$|(?<!\p{L})(?:analys[ei]s|assays?|tests?|experiments?|measurements?|comparisons?|staining|quantification) (?:of|for|in|with) |(?:^|[\s-])(?:[IE]C ?50|MICs?|tests?|assays?|curves?|plots?|figures?|tables?|maps?|measurements?|regressions?|statistics?|comparisons?|analys[ei]s|results?|values?|images?|spectr(?:um|a)|scores?)$/iu;
/** "Positive staining for TB": what a test showed. */
const RESULT = /^(?:positive|negative|abnormal|elevated|high|low|higher|lower) /iu;
const MOST_WORDS = 18;
/** Longer ones are not understood whole, and cost the expressions time. */
const LONGEST = 900;
const LONGEST_CLAUSE = 400;
/** Parts of an abstract that tell no results. */
const LABELLED_OTHERWISE =
  /^(?:Background|Introduction|Objectives?|Aims?|Purpose|Methods?|Design|Setting)[^.:]{0,30}[:.]/i;
/** "primary" and "both secondary" are parts of a name. */
const WORDS_OF_ORDER = /^(?:\p{L}+ )?(?:primary|secondary|tertiary|first|second|third|final|initial|main)$/iu;
/** "the herbivore-induced increased level", "the strongest suppressed genes": no verb follows. */
const NO_SUBJECT = /(?:-\p{Ll}+ed|est|most)$/u;
const GENERIC = new RegExp(`^(?:${alternatives(words.generic.en)})$`, 'iu');
/** What people make, not what they find: "the platform consists of three servers". */
const MADE = new RegExp(
  `(?:^|[ _-])(?:${alternatives(words.made.en)})(?: (?:\\p{Lu}|\\d+|(?:we )?(?:used|employed|presented|proposed|developed|described|considered|built|designed|here)(?: .*)?))?$`,
  'iu',
);
/** A share of a thing: "more than half of the genome". */
const SHARE =
  /^(?:(?:more|less) than |about |nearly |almost )?(?:half|most|a? ?(?:third|quarter|part|majority)|the majority|\d[\d.]* ?%|\p{L}+(?: |-)?percent|two thirds) of /iu;
const CHANGE_FIRST =
  /^(?:\p{L}+ ){0,3}(?:reductions?|decreases?|declines?|increases?|increments?|changes?|effects?)(?: |$)/iu;
/** "induced an improved level" */
const CHANGED = /^(?:improved|increased|decreased|reduced|enhanced|elevated|higher|lower|greater|smaller) /iu;
/** "raised the suspicion" */
const NOTHING_DONE = /^(?:suspicions?|questions?|concerns?|awareness|possibility|hopes?|doubts?)(?: |$)/iu;
/** "occupational" alone says nothing; "survival" is a noun. */
const ADJECTIVE =
  /^(?!(?:survival|removal|arrival|signal|retrieval|withdrawal|referral|fertility|rainfall)$)\p{Ll}+(?:al|ive|ous|ic|able)$/u;

/** The findings that a sentence states. */
export function readFindings(sentence: string): Finding[] {
  if (LABELLED_OTHERWISE.test(sentence) || sentence.length > LONGEST || /\?\s*$/.test(sentence)) return [];
  const { plain: whole } = withoutBrackets(sentence);
  if (SUPPOSED.test(whole) || OTHERS.test(whole)) return [];
  const isInsignificant = INSIGNIFICANT.test(whole);
  return clausesOf(sentence.replace(/[.!]$/, '')).flatMap((clause) => {
    const { plain, value } = withoutBrackets(clause);
    const main = mainClause(plain, LISTED_FIRST.test(clause));
    const { text, setting } = main;
    if (UNSURE.test(text.replace(/(?:more|less) likely to/giu, '')) || text.length > LONGEST_CLAUSE) return [];
    const parts = readWith(main);
    // "protein and reduced oedema": the subject of the verb is another one. Two numbers alone are no difference.
    if (
      !parts ||
      [parts.subject, parts.object].some((part) => / (?:and|or)$/i.test(part)) ||
      (parts.isCounted && !TESTED.test(value ?? ''))
    )
      return [];
    const isPopulation = setting !== null && NAMES_PEOPLE.test(setting);
    const finding = finished(parts, {
      setting: isPopulation ? setting.slice(setting.indexOf(' ') + 1) : null,
      bracketed: value,
    });
    if (!finding || !isSure(finding, text)) return [];
    // "anxiety (p = 0.06), depression (p = 0.04) and stress": each has its own.
    if (arePartlySignificant(clause)) return [];
    const judged = judgedByProbability(completed(finding));
    // "was higher; this difference was not significant"
    return isInsignificant && DIRECTED.has(judged.relation) ? [] : [judged];
  });
}

/**
 * What a form says of a clause; where it says too little, of the clause with what stood before it: "In the oil, thymol was
 * the main component", "Compared with placebo, aspirin reduced mortality".
 */
function readWith({ text, setting, comparator }: MainClause): (Parts & { readonly text: string }) | undefined {
  const tries = [
    comparator === null ? text : `${text} compared with ${comparator}`,
    ...(setting === null ? [] : [`${text} ${setting}`]),
  ];
  for (const each of tries) {
    const parts = readForms(each) ?? readListed(each);
    if (parts)
      return {
        ...parts,
        ...(each !== text && comparator !== null && { comparator: parts.comparator ?? comparator }),
        text: each,
      };
  }
  return undefined;
}

/** "CD3, CD4 and CD8 cells were similar": forms know no commas in what comes first, so they become another sign there. */
function readListed(text: string): Parts | undefined {
  const first = FIRST_VERB.exec(text)?.index ?? -1;
  const list = text.slice(0, Math.max(0, first));
  if (!/^[^,;]{2,60}(?:, [^,;]{2,60}){0,9},? and [^,;]{2,60}$/u.test(list) || !list.includes(',')) return undefined;
  const parts = readForms(list.replaceAll(',', LIST_COMMA) + text.slice(first));
  if (!parts) return undefined;
  const [subject, object] = [parts.subject, parts.object].map((part) => part.replaceAll(LIST_COMMA, ','));
  return { ...parts, subject: subject ?? '', object: object ?? '' };
}
const LIST_COMMA = '\uE002';
const FIRST_VERB = new RegExp(
  ` (?=${ADVERB}(?:${BE}|had|has|have|showed|exhibited|did|do|does|led|resulted|${VERBS}) )`,
  'iu',
);

/** A probability or an interval: somebody tested whether two numbers differ. */
const TESTED = /\bp ?[<=>≤≥]|\bCI\b|\bp[- ]value/iu;

/** Whether of several probabilities some say that there is a difference, and some that there is none. */
function arePartlySignificant(clause: string): boolean {
  const all = [...clause.matchAll(/\bp ?(?<sign>[<=>≤≥]) ?(?<number>0?[.·]\d+)/giu)].map(
    ({ groups }) => groups?.['sign'] !== '>' && Number((groups?.['number'] ?? '').replace('·', '.')) < 0.05,
  );
  return new Set(all).size > 1;
}

/** A difference that is not significant is none, whatever the numbers are. */
function judgedByProbability(finding: Finding): Finding {
  const found = /\bp ?(?<sign>[=>≥]) ?(?<number>0?[.·]\d+)/iu.exec(finding.value ?? '')?.groups;
  const isNone = found && Number((found['number'] ?? '').replace('·', '.')) >= 0.05;
  return isNone && DIRECTED.has(finding.relation) ? { ...finding, relation: 'no difference' } : finding;
}

const DIRECTED: ReadonlySet<FindingRelation> = new Set(['increases', 'decreases']);
const INSIGNIFICANT =
  /\b(?:not (?:statistically )?significant|non-?significant|insignificant|not reach (?:statistical )?significance|significance was not)\b/iu;

/** "high- and low-risk groups", "public and private hospitals": the first has the noun of the second. */
function completed(finding: Finding): Finding {
  const { subject, comparator } = finding;
  const [, noun] = /(?:^|[\s-])(\p{Ll}+)$/u.exec(comparator ?? '') ?? [];
  if (comparator === null || noun === undefined || comparator === noun) return finding;
  if (subject.endsWith('-')) return { ...finding, subject: subject + comparator.slice(comparator.indexOf('-') + 1) };
  const isAdjective = !subject.includes(' ') && (/^\p{Ll}+-\p{Ll}+$/u.test(subject) || QUALITY.test(subject));
  return isAdjective && comparator.includes(' ') ? { ...finding, subject: `${subject} ${noun}` } : finding;
}

/** One word that says which of some things is meant. */
const QUALITY =
  /^(?:\p{Ll}+(?:al|ic|ive|ous|ary|ary|ate|ed|est|ern|an)|high|low|mild|severe|public|private|oral|male|female|younger|older|young|old|early|late|acute|mature|dry|wet|warm|cold|wild|small|large)$/iu;

/** Words that begin another clause of the same sentence. */
const BETWEEN_CLAUSES = /; (?:and |but |however, |whereas )?|,? (?:but|while|whereas|although|though) |, and /giu;
const FINITE =
  /(?<!\p{L})(?:was|were|is|are|had|has|have|did|does|showed|exhibited|led|resulted|remained|differed|contains?|contained|increases|decreases|reduces|inhibits|shows)(?!\p{L})/iu;
/** "The activity increased with" */
const HAS_VERB = new RegExp(` (?:${WENT_ALONE}) (?:with|after|upon|in|from|to|by) `, 'iu');
/** ", and higher doses inhibited the activity" */
const ANOTHER = new RegExp(`^(?:[\\p{L}\\d-]+ ){1,6}(?:${VERBS}) (?:the|its|their|both|all) `, 'iu');

/** The clauses of a sentence, with what stands in brackets; only a part with a verb before it and one in it is one. */
function clausesOf(sentence: string): string[] {
  // What stands in brackets begins no clause.
  let masked = sentence;
  for (let before = ''; before !== masked;) {
    before = masked;
    masked = masked.replaceAll(/[([][^()[\]]{0,300}[)\]]/g, (bracket) => '_'.repeat(bracket.length));
  }
  const clauses: string[] = [];
  let start = 0;
  for (const { 0: between, index } of masked.matchAll(BETWEEN_CLAUSES)) {
    const rest = masked.slice(index + between.length);
    if (!(FINITE.test(masked.slice(start, index)) || HAS_VERB.test(masked.slice(start, index)))) continue;
    if (!(FINITE.test(rest) || ANOTHER.test(rest))) continue;
    clauses.push(sentence.slice(start, index));
    start = index + between.length;
  }
  return [...clauses, sentence.slice(start)];
}

/** A clause without what comes before its subject and what only comments on it. */
interface MainClause {
  readonly text: string;
  /** "in patients with asthma" */
  readonly setting: string | null;
  /** "Compared with placebo" */
  readonly comparator: string | null;
}

function mainClause(clause: string, isList: boolean): MainClause {
  let text = clause.replace(/^(?:and|but) |^\p{L}+ ?— ?/iu, '');
  let [setting, comparator] = [null as string | null, null as string | null];
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(REPORTED, '').replace(ADVERBIAL, '').replace(WE_FOUND, '').replace(SHOWN_BY, '');
    const compared = COMPARED_FIRST.exec(text);
    if (compared) text = text.slice(compared[0].length);
    comparator ??= compared?.groups?.['what'] ?? null;
    const begun = isList ? null : SETTING.exec(text);
    // "After a day JA induced X, Y, and Z": the comma is one of a list.
    const found = begun && /^[^\s,]+, and /u.test(text.slice(begun[0].length)) ? null : begun;
    if (found) text = text.slice(found[0].length);
    if (found) setting = `${found[1]?.toLowerCase()} ${found[2]}`;
  }
  [text = ''] = text.split(
    /;|(?<!^.{0,40}| ):(?!\d)|,? (?:but|while|whereas|although|though|underscoring|suggesting|indicating|implying|which (?:is|are|was|were|may|might|could|suggests?|indicates?)) /,
  );
  text = text
    .replace(AS_SHOWN, '')
    .replace(ASIDE, '$<head> ')
    .replace(/^([^,;]{3,160}), (?=(?:was|were) )/u, '$1 ')
    .replaceAll(FOUND_TO_BE, ' $<be> ');
  return { text, setting, comparator };
}

/** "ANOVA revealed that", "The survey showed that": whatever shows it. */
const SHOWN_BY =
  /^[^,;]{2,80}? (?:\p{Ll}+ly )?(?:revealed|reveals?|showed|shows?|demonstrated|indicated|confirmed|concluded) that /iu;
/** ", as shown in Fig. 2" */
const AS_SHOWN = /, as (?:shown|presented|seen|depicted|illustrated|indicated|reported|listed) [^,;]{1,60}$/iu;
const WE_FOUND =
  /^we (?:\p{Ll}+ly |also )?(?:found|observed|noted|detected|identified|show|showed|demonstrate|demonstrated) (?:that )?/iu;
/** "were found to be higher" is "were higher". */
const FOUND_TO_BE = / (?<be>was|were|is|are) (?:also )?(?:found|shown|seen|observed|proven|proved) to be /giu;

function finished(
  { subject, relation, object, comparator: other, value: said, isBetween, text }: Parts & { readonly text: string },
  { setting, bracketed }: { readonly setting: string | null; readonly bracketed: string | null },
): Finding | undefined {
  // What ends the clause may have more behind it; what begins it is whole.
  const isLast = (part: string): boolean => text.endsWith(part);
  let [of, on] = [isLast(subject) ? cut(subject) : subject.trim(), isLast(object) ? cut(object) : object.trim()];
  let comparator =
    other === undefined ? null : cut(other).replace(/^(?:of|in|for|with|from|at|on|during|among) /iu, '') || null;
  let population = setting;
  let value = said === undefined ? bracketed : [said, bracketed].filter((each) => each !== null).join('; ');
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
    const [first, second, ...rest] = isBetween ? of.split(/ and | versus | vs\.? /) : [of];
    if (rest.length === 0 && second !== undefined) [of, comparator] = [first ?? of, second];
    // "similar between the trials at $6.5 and $5.6"
    if (/[$€£]|\d[.·]\d/u.test(of + (comparator ?? ''))) return undefined;
    on = cut(on);
  }
  const amount =
    / by (?<value>(?:about |approximately |up to |more than |nearly )?[<>~≈]?[\d.,·]+(?: ?[-–] ?[\d.,·]+)? ?(?:%|-?fold|times)?[^,;]{0,30})$/iu.exec(
      on,
    );
  if (amount) {
    value ??= amount.groups?.['value'] ?? null;
    on = on.slice(0, amount.index);
  }
  const group = IN_PEOPLE.exec(on);
  if (group && group.index > 1) {
    population ??= group.groups?.['who'] ?? null;
    on = on.slice(0, group.index);
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
    .trim()
    .replace(/^(?:terms of )?(?:both )?(?:the|an?|also) |^terms of /iu, '')
    .replace(SOME_OF, '')
    .replace(/,$/u, '')
    .replace(
      /(?:,| (?:and|or|did|(?!family|assembly|supply|anomaly)\p{Ll}+ly|as well|in this study|in our study|in particular|however))$/u,
      '',
    )
    .trim();
}

/** What was done to see it, and the ends of a list of numbers. */
const LOOKED_AT =
  /^(?:comparing|analy[sz]ing|considering|adjusting|controlling|correcting|(?:the )?(?:highest|lowest|maximum|minimum)) /iu;

/** "Twelve of the", "three of the 20": the group is meant. */
const SOME_OF =
  /^(?:\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|some|many|most|several)(?: out)? of (?:the|these|our|all) (?:(?:\d+|two|three|four|five|six|seven|eight|nine|ten) )?/iu;

function isSure({ subject, relation, object, comparator }: Finding, text: string): boolean {
  for (const part of [subject, object]) {
    if (part.split(' ').length > MOST_WORDS || !/\p{L}{2}/u.test(part)) return false;
    if (POINTS.test(part) || POINTS_FIRST.test(part) || IS_CLAUSE.test(part.replace(WHO, ''))) return false;
    if (POINTS_WITHIN.test(part)) return false;
    // A bracket that a break left open.
    if (part.split(/[([]/).length !== part.split(/[)\]]/).length) return false;
  }
  if (
    ADJECTIVE.test(object) ||
    NO_SUBJECT.test(subject) ||
    WORDS_OF_ORDER.test(subject) ||
    (comparator === null && /\bgroups?$/.test(subject))
  )
    return false;
  // "The assay showed a higher toxicity": what shows it is not what causes it.
  if (relation !== 'predicts' && SHOWS_ONLY.test(subject) && !RESULT.test(subject)) return false;
  // "The systems reduced it" points elsewhere; what a thing was made of is no finding.
  if (
    GENERIC.test(subject) ||
    (relation === 'contains' && MADE.test(subject)) ||
    ((relation === 'contains' || relation === 'associated') && SHARE.test(subject))
  )
    return false;
  // "induced a reduction in growth": more or less of what is not said by the verb.
  if (DIRECTED.has(relation) && (CHANGE_FIRST.test(object) || CHANGED.test(object))) return false;
  if (/^\p{Ll}+ly /u.test(object) || NOTHING_DONE.test(object)) return false;
  // A model that predicts a shape has not found that one thing foretells another.
  if (
    relation === 'predicts' &&
    (/\b(?:analys[ei]s|models?|modell?ing|simulations?|theory|algorithms?|programs?|software|tools?|servers?)\b/i.test(
      subject,
    ) ||
      / to (?:be|have|possess|contain|encode) /i.test(object))
  )
    return false;
  if (LOOKED_AT.test(subject)) return false;
  if (relation !== 'no difference' && NEGATED.test(text)) return false;
  if (subject.toLowerCase() === object.toLowerCase()) return false;
  // "increased risk" after a noun is no verb.
  const alone = VERB_ALONE.exec(text.slice(text.indexOf(subject) + subject.length));
  const isAlone =
    alone?.index === 0 &&
    comparator === null &&
    alone.groups?.['behind']?.startsWith(object.slice(0, 12)) === true &&
    !SURE_WITHOUT_ARTICLE.test(alone.groups?.['verb'] ?? '');
  return (
    !isAlone &&
    ![subject, object].some((part) => /\b(?:with|of|an?|the|by|for|to|in|and|from)$/.test(part)) &&
    !/^[\d.,]+(?:[ %]|[-–]?fold|$)/.test(object)
  );
}
