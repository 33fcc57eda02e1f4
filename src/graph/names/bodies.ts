import { alternatives } from './alternatives.ts';
import words from './bodies.json' with { type: 'json' };

// Names of organisations. bodies.json has words for kinds of bodies in several languages; parts of bodies, which are
// in many of them; what is known by its letters alone.

const BODY = new RegExp(`(?<![\\p{L}-])(?:${alternatives(words.bodies)})(?!\\p{L})`, 'iu');
const PART = alternatives(words.parts);
/** "Department of Chemistry", "Botany Department", not "Department of Energy". */
const PART_OF_BODY = new RegExp(
  `^(?!Departments? (?:of|for) (?:the )?(?:${alternatives(words.ministries)})(?!\\p{L}))(?:(?:${PART})s? (?:of|for|de|di|für) [^,]{2,80}(?:, (?:${PART})s? [^,]{2,80})?|(?:[\\p{L}-]+ ){1,4}(?:${alternatives(words.endings)}))$`,
  'iu',
);
/** A part with a name of its own or that of its body: "College of Engineering at Hofstra University", "Harvard Medical School". */
const OWNED = /[Uu]niversi|[Hh]ospital|[Ii]nstitut| at \p{Lu}/u;
const COMMON: ReadonlySet<string> = new Set(words.common);
const LETTERS: ReadonlySet<string> = new Set(words.letters);

/** "SARS hospitals": any of a kind. */
const MANY =
  / (?:hospitals|authorities|agencies|universities|institutes|institutions|companies|societies|associations|departments|schools|committees|groups|governments|laboratories|services|centers|centres)$/u;

/** Whether a text names a kind of body in capitals: "Wellcome Trust", "Universität Bonn". */
export function namesBody(text: string): boolean {
  return BODY.test(text) && /\p{Lu}/u.test(text);
}

/** Whether a name is known by its letters alone to be that of an organisation. */
export function isKnownByLetters(name: string): boolean {
  return LETTERS.has(name);
}

/** Whether a name is that of one organisation, not of a part that many have, of any hospital or of people. */
export function isOrganisation(name: string): boolean {
  if (LETTERS.has(name)) return true;
  if (!namesBody(name) || MANY.test(name) || /(?: (?:of|at|for|de|in|and)|\()$/iu.test(name)) return false;
  if (PART_OF_BODY.test(name) && !OWNED.test(name)) return false;
  return !name.split(/\s+/).every((word) => COMMON.has(word.toLowerCase()) || BODY.test(word));
}
