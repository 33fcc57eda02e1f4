import { lettersOf } from '../../base/index.ts';
import { alternatives } from '../names/alternatives.ts';
import { namesBody } from '../names/bodies.ts';
import words from './funding-words.json' with { type: 'json' };
import type { Reading, Statements } from './reading.ts';

// Funders from the sentences in which a paper says who paid for it. A name is kept if it names a kind of body, or is written
// in capitals like "CNPq"; grants, people and companies that paid an author for something else are not funders of the paper.

const METHOD = { name: 'funding-sentence', version: 1 };

const word = (phrases: readonly string[]): string => `(?<![\\p{L}-])(?:${alternatives(phrases)})(?![\\p{L}])`;

const REFUSES = new RegExp(word(words.refusals.en), 'iu');
/** "This work was partly supported by", "our study received funding from": who paid is named behind it. */
const PAID = new RegExp(
  `(?<![\\p{L}])(?:this|our|the|present|current|whole) (?:[\\p{L}-]+ ){0,4}?${word(words.subjects.en)}[^.;]{0,60}?${word(words.gave.en)}[^.;]{0,60}?(?<![\\p{L}])(?:by|from|through) (?<names>.{2,600})`,
  'iu',
);
/** "The author received a grant from", "K.C. acknowledges financial support from". */
const RECEIVED = new RegExp(
  `(?<![\\p{L}])(?:receive[sd]?|acknowledges?|with) [^.;]{0,60}?${word(words.gave.en)}[^.;]{0,60}?(?<![\\p{L}])(?:by|from|through) (?<names>.{2,600})`,
  'iu',
);
/** "Funding: Wellcome Trust", and in a section on funding "supported by the Wellcome Trust". */
const HEADED =
  /^(?:Funding|Financial support|Sponsors?|Support|Grants?)(?: (?:statement|sources?|information))?\s*[:.]\s*(?<names>(?!This|The (?:stud|work|trial|project)|No\b).{2,600})/iu;
const IN_SECTION = new RegExp(`${word(words.gave.en)}[^.;]{0,60}?(?<![\\p{L}])(?:by|from) (?<names>.{2,600})`, 'iu');
/** "We thank the CNPq for financial support." */
const THANKED = new RegExp(
  `${word(words.thanks.en)} (?:to )?(?<names>[^.;]{2,300}?) for [^.;]{0,80}?${word(words.gave.en)}`,
  'iu',
);
const FUNDING_SECTION = /^\W*(?:\d+\.?\s*)?(?:funding|financial|financing|sponsor|grant|support)/iu;
const THANKS_SECTION = /acknowledg|disclosure|declaration/iu;

/** A funder as a sentence prints it. */
export interface PrintedFunder {
  /** The name without its abbreviation. */
  readonly name: string;
  /** Numbers of grants that stand behind the name. */
  readonly awards: readonly string[];
}

/** The funders that a sentence names. `part` is where it stands: outside these parts less is believed. */
export function findFunders(sentence: string, part: 'funding' | 'acknowledgements' | null = null): PrintedFunder[] {
  const text = sentence.replaceAll(/\s+/g, ' ');
  if (REFUSES.test(text)) return [];
  const said =
    PAID.exec(text) ??
    (part === null ? null : (THANKED.exec(text) ?? RECEIVED.exec(text) ?? HEADED.exec(text))) ??
    (part === 'funding' ? IN_SECTION.exec(text) : null);
  return said ? namesIn(said.groups?.['names'] ?? '') : [];
}

function namesIn(said: string): PrintedFunder[] {
  const found: PrintedFunder[] = [];
  for (const piece of piecesOf(said)) {
    // "… of the NIOSH, part of the CDC": the first paid.
    if (/^ ?part of /.test(piece)) continue;
    const awards = [...piece.matchAll(AWARD)].map(([each]) => each);
    const name = nameOf(piece);
    if (name === undefined) {
      // "… (82373665 & 81974490)": further grants of the funder before.
      const last = found.at(-1);
      if (last && awards.length > 0) found[found.length - 1] = { ...last, awards: [...last.awards, ...awards] };
    } else if (!found.some((other) => lettersOf(other.name) === lettersOf(name))) found.push({ name, awards });
  }
  return found;
}

/** Numbers of grants have at least four digits, and signs that years do not have, or more digits. */
const AWARD =
  /(?<![\p{L}\p{N}])(?!\d{4}-\d{4}(?!\d))(?=[\p{L}\p{N}/_.-]{0,30}\d{4})[\p{Lu}\p{N}][\p{L}\p{N}/_.-]{4,30}[\p{L}\p{N}]/gu;

/** The names of a list. "Science and Technology" is one name; "the Wellcome Trust and the European Union" are two. */
function piecesOf(said: string): string[] {
  const pieces: string[] = [];
  const [first = ''] = said.split(
    /;? (?:to (?=[\p{Lu}.]{1,6}(?: |,|$))|for (?:their|his|her|this)|under (?:the )?(?:grant|project|contract|award))/u,
  );
  for (const listed of withParts(first.split(/[,;](?![^(]{0,200}\))|(?<!\p{Lu})\.(?= \p{Lu})/u))) {
    const [head = '', ...others] = listed.split(/(?<=\)|\p{L}|\d) (?:and|&|as well as) (?![^(]{0,200}\))/u);
    let open = head;
    for (const other of others) {
      const begins = /^(?:by |from |in part |also )*the /u.test(other) || /^(?:by|from) /u.test(other);
      const isBoth = nameOf(open) !== undefined && isBody(other);
      if (begins || isBoth) {
        pieces.push(open);
        open = other;
      } else open = `${open} and ${other}`;
    }
    pieces.push(open);
  }
  return pieces;
}

/** "Ministry of Science, Research and Art" and "Janssen Research, LLC" are one name each. */
function withParts(listed: readonly string[]): string[] {
  const found: string[] = [];
  for (const piece of listed) {
    const last = found.at(-1);
    const belongs =
      /^ (?:LLC|Inc|Ltd|GmbH|Corp|L\.P)\b/.test(piece) ||
      (/(?:Ministr\p{L}+|Departments?|Ministerio) (?:of|for|de) [^,]+$/u.test(last ?? '') &&
        /^ \p{Lu}\p{L}+ and \p{Lu}/u.test(piece) &&
        !namesBody(piece.split(' and ')[0] ?? ''));
    if (last !== undefined && belongs) found[found.length - 1] = `${last},${piece}`;
    else found.push(piece);
  }
  return found;
}

/** Letters in capitals, as in "CNPq", "CAPES", "NIH". */
const CAPITALS = /^\p{Lu}{2}[\p{L}-]{1,8}$/u;
function isBody(text: string): boolean {
  const bare = text.replaceAll(/\([^()]{0,300}\)/g, '').trim();
  return namesBody(bare) || CAPITALS.test(bare);
}

const LEADING =
  /^(?:(?:and|by|from|in|part|also|the|a|an|of|to|with|all|additional|partial|research|educational|unrestricted|grants?|funds?|funding|support|awards?|funded|financed|sponsored|supported|scholarships?|fellowships?|financial|partially|partly|nos?\.?|numbers?|project|programs?|programmes?) )+(?=(?:the )?\p{Lu})/u;
const LONGEST = 140;

/** The name in a piece of a list, without what stands in brackets and without grants. Undefined if there is none. */
function nameOf(piece: string): string | undefined {
  const name = piece
    .replaceAll(/ ?[([][^()[\]]{0,300}[)\]]?/g, ' ')
    .replaceAll(AWARD, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^[^\p{Lu}]{0,80}?(?:from|of|by) (?:the )?(?=\p{Lu})/u, '')
    .replace(LEADING, '')
    .replace(/^(?:the|an?) /iu, '')
    .replace(
      / ?[\s,](?:[-–] .*|(?:under|grants?|award|contract|nos?\.|number|code|through|via|within|with|to|which|that|who|in the|as part|co-\p{L}+ed|and \p{Ll}+)(?!\p{L}).*)$/u,
      '',
    )
    .replace(/(?<![\s.:,;“”"'‘’-])[\s.:,;“”"'‘’-]+$/u, '')
    .replace(/^[“”"'‘’\s]+/u, '');
  if (name.length < 3 || name.length > LONGEST || !/^\p{Lu}/u.test(name) || !isBody(name)) return undefined;
  // A body alone is no name: "Ministry", "Hospital".
  return /\s/.test(name) || CAPITALS.test(name) ? name : undefined;
}

/** Says who paid for the work, each with the sentence. */
export function extractFunding(reading: Reading, say: Statements): void {
  for (const { block, section, sentences } of reading.prose)
    for (const stretch of sentences) {
      const text = block.text.slice(stretch.start, stretch.end);
      for (const { name, awards } of findFunders(text, partOf(section))) {
        const target = say.node('funder', `name:${lettersOf(name)}`, name);
        say.edge({ kind: 'funded_by', target }, { block: block.order, stretch }, METHOD, { awards, section });
      }
    }
}

function partOf(section: string | null): 'funding' | 'acknowledgements' | null {
  if (section === null) return null;
  if (FUNDING_SECTION.test(section)) return 'funding';
  return THANKS_SECTION.test(section) ? 'acknowledgements' : null;
}
