import { sha256 } from '../../base/index.ts';
import { alternatives } from '../names/alternatives.ts';
import words from './procedure-words.json' with { type: 'json' };
import type { Reading, Statements } from './reading.ts';

// How a paper measured something, from the form of the sentence: "Anxiety was assessed with the GAD-7 scale". What others
// measured, and what is said without a means, is left out.

const METHOD = { name: 'procedure-form', version: 3 };

const ADVERBS = '(?:(?:\\p{Ll}+ly|then|also|further|first|each) ){0,2}';
const MEASURED = `(?:${alternatives(words.measured.en)})`;
const BY = `(?:${alternatives(words.by.en)})`;
/** "X was measured by Y", "X, Y and Z were determined using W". */
const PASSIVE = new RegExp(
  `^(?<what>[^;:]{3,160}?) (?:was|were) ${ADVERBS}${MEASURED} ${ADVERBS}${BY} (?<how>.{3,400})$`,
  'iu',
);
/** "We measured X using Y"; the weaker means may belong to X here. */
const ACTIVE = new RegExp(
  `^we ${ADVERBS}${MEASURED} (?<what>[^;:,]{3,120}?) (?:using|by means of|with the use of) (?<how>.{3,400})$`,
  'iu',
);
const NOTHING = new RegExp(`^(?:${alternatives(words.nothing.en)})(?: |$)`, 'iu');
const CITES_OTHERS =
  /et al|\b(?:previous|earlier|other) (?:study|studies|work|authors|reports?)\b|\b(?:not|has been|have been|can be|may be|could be|should be)\b/iu;

/** What comes before the thing that is measured: "In each sample, ", "After incubation the ". */
const BEFORE =
  /^(?:(?:In|At|For|Based on|After|Before|During|To|On|From|Briefly|Then|Finally|Next|First|Second|Additionally|Moreover|Furthermore|Subsequently|Meanwhile|However|Specifically|Similarly|Likewise|Also|Here|Thus)(?: [^,;]{1,100})?,? (?=[\p{L}-]+ ))+/u;
/** Where the means ends and something else begins. */
const END_OF_MEANS =
  /(?:; |\. |, (?=\p{Ll})|: | (?:at|before|after|for|during|until|while|whereas|as (?:described|previously|reported|well)|in order|to (?!the |an? |those |that |their )\p{Ll}{3,}|asking|and (?:also )?by|which|where|when|because|so that|from|due to|as detailed|every|and (?:the |their |its |was |were |is |are |then |expressed |compared |reported |\p{Ll}+ed ))(?!\p{L}) ?)/u;
const MOST_WORDS = 16;

/** What a sentence measures, and by what means. */
export interface Procedure {
  readonly what: string;
  readonly how: string;
}

/** The measurements that a sentence tells, each with its means. */
export function findProcedures(sentence: string): Procedure[] {
  if (CITES_OTHERS.test(sentence)) return [];
  const plain = sentence
    .replaceAll(/ ?\[[\d,;–\- ]{1,20}\]| ?\([\d,;–\- ]{1,12}\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '');
  // "MIC and MBC were determined" is one clause, "anxiety was assessed with X and anger was assessed with Y" are two.
  return plain
    .split(/; |(?<= (?:was|were) [^,;]{0,200}),? (?:and|while|whereas) (?=[^,;]{3,80} (?:was|were) )/)
    .flatMap((clause) => {
      const text = clause.replace(BEFORE, '');
      const groups = (PASSIVE.exec(text) ?? ACTIVE.exec(text))?.groups;
      const what = tidy(groups?.['what'] ?? '');
      const how = tidy((groups?.['how'] ?? '').split(END_OF_MEANS)[0] ?? '');
      return isThing(what) && isMeans(how) ? [{ what, how }] : [];
    });
}

function tidy(text: string): string {
  const isOpen = text.lastIndexOf('(') > text.lastIndexOf(')');
  return (isOpen ? text.slice(0, text.lastIndexOf('(')) : text)
    .trim()
    .replace(/^\d{1,2} (?=\p{Lu})/u, '')
    .replace(/^(?:\d|days? |hours? |in \(\p{L}\))[^.;]{0,60}, (?=(?:the|an?) )/iu, '')
    .replace(/^(?:(?:next|then|finally|first|second),? )?(?:the|an?|our|its|their) |^(?:next|then|finally),? /iu, '')
    .replace(/(?<![,.\s])[,.\s]+$/u, '')
    .replace(/ (?:with|on|in|of|by|and|the|an?)$/u, '')
    .trim();
}

function isThing(what: string): boolean {
  return (
    /^[\p{L}\p{N}].*\p{L}{2}/u.test(what) &&
    what.split(' ').length <= MOST_WORDS &&
    !NOTHING.test(what) &&
    !/ (?:and|or|of|in|to|for)$/.test(what) &&
    !/ (?:was|were|is|are|that|which|who|we) /.test(` ${what} `)
  );
}

/** "by the authors" and "by two reviewers" is who, not how; "with 20 ml" is no means. */
function isMeans(how: string): boolean {
  return (
    /\p{L}{3}/u.test(how) &&
    !/^(?:the|an?)$/iu.test(how) &&
    how.split(' ').length <= MOST_WORDS &&
    !/^(?:\d|p ?[<=]|each|both|one|two|three|four|several|all|which|that|those|these|this|it|them|respect|regard|reference|patients?|women|men|children|authors?|reviewers?|investigators?|participants?|days?|weeks?|months?|years?|time|figure|table|fig|(?:following |this |calculation )*(?:eq|equation|formula)|results?|following|respectively|determining|calculating|means|seeding)\b/iu.test(
      how,
    )
  );
}

/** Says how the paper measured things, each with the sentence. */
export function extractProcedures(reading: Reading, say: Statements): void {
  for (const { block, section, sentences } of reading.prose)
    for (const stretch of sentences)
      for (const { what, how } of findProcedures(block.text.slice(stretch.start, stretch.end))) {
        const id = sha256(JSON.stringify([reading.owner, what, how])).slice(0, 24);
        const target = say.node('procedure', id, `${what} · by · ${how}`, { data: { what, how } });
        say.edge({ kind: 'determines', target }, { block: block.order, stretch }, METHOD, { section });
      }
}
