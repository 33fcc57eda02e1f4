/**
 * The stem of a lower-case English word after Porter (1980). `VC` counts of the part before a suffix (its measure)
 * decide what may be cut off.
 */
export function porterStem(word: string): string {
  if (word.length < 3) return word;
  let stem = pluralsAndPast(word);
  if (stem.endsWith('y') && hasVowel(stem, stem.length - 1)) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, DOUBLE_SUFFIXES, 0);
  stem = replaceSuffix(stem, SINGLE_SUFFIXES, 0);
  stem = dropSuffix(stem);
  return tidy(stem);
}

const DOUBLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
];
const SINGLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const LAST_SUFFIXES: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ion',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
];

function pluralsAndPast(word: string): string {
  let stem = word;
  if (stem.endsWith('sses') || stem.endsWith('ies')) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && !stem.endsWith('ss')) stem = stem.slice(0, -1);
  if (stem.endsWith('eed')) return measure(stem, stem.length - 3) > 0 ? stem.slice(0, -1) : stem;
  const cut = stem.endsWith('ed') ? 2 : stem.endsWith('ing') ? 3 : 0;
  if (cut === 0 || !hasVowel(stem, stem.length - cut)) return stem;
  stem = stem.slice(0, -cut);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsShort(stem, stem.length) ? `${stem}e` : stem;
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[], above: number): string {
  for (const [suffix, other] of table) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    return measure(word, length) > above ? word.slice(0, length) + other : word;
  }
  return word;
}

function dropSuffix(word: string): string {
  for (const suffix of LAST_SUFFIXES) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    if (suffix === 'ion' && !/[st]$/.test(word.slice(0, length))) return word;
    return measure(word, length) > 1 ? word.slice(0, length) : word;
  }
  return word;
}

function tidy(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const size = measure(stem, stem.length - 1);
    if (size > 1 || (size === 1 && !endsShort(stem, stem.length - 1))) stem = stem.slice(0, -1);
  }
  return stem.endsWith('ll') && measure(stem, stem.length) > 1 ? stem.slice(0, -1) : stem;
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at] ?? '';
  if ('aeiou'.includes(letter)) return false;
  return letter !== 'y' || at === 0 || !isConsonant(word, at - 1);
}

/** How many times a vowel run is followed by a consonant run in the first `length` letters. */
function measure(word: string, length: number): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < length; at += 1) {
    const consonant = isConsonant(word, at);
    if (consonant && afterVowel) count += 1;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(word: string, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (!isConsonant(word, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Consonant, vowel, consonant other than w, x, y: the pattern after which an e was dropped ("hop" of "hoping"). */
function endsShort(word: string, length: number): boolean {
  return (
    length > 2 &&
    isConsonant(word, length - 1) &&
    !isConsonant(word, length - 2) &&
    isConsonant(word, length - 3) &&
    !'wxy'.includes(word[length - 1] ?? '')
  );
}
