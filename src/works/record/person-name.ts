/** A name split for bibliographies; a single word or a group's name stays whole. */
export interface PersonName {
  readonly name: string;
  readonly family: string | null;
  readonly given: string | null;
}

/** Particles of family names. */
const PARTICLES = new Set(
  'af al bin da dal de degli del della der des di do dos du el ibn la las le los ten ter van vom von zu zum zur'.split(
    ' ',
  ),
);
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i;
/** Scripts that put the family name first, without a space. */
const UNSPACED = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
const GROUP =
  /\b(?:consortium|collaboration|group|team|network|society|association|committee|organi[sz]ation|university|institute|initiative|investigators|council|agency|ministry|foundation)\b/i;

/** Splits `Family, Given` or `Given van Family Jr.`; a group's name stays whole. */
export function parsePersonName(text: string): PersonName {
  const name = text.replaceAll(/\s+/g, ' ').trim();
  const whole = { name, family: null, given: null };
  if (name === '' || name.length > 200 || GROUP.test(name)) return whole;
  const comma = name.indexOf(',');
  if (comma > 0) {
    const family = name.slice(0, comma).trim();
    const rest = name.slice(comma + 1).trim();
    // "Family, Jr., Given" (BibTeX).
    const [, suffix, given] = /^([a-z]{2,3}\.?)\s{0,3},\s{0,3}(\S.*)$/i.exec(rest) ?? [];
    if (suffix !== undefined && given !== undefined && SUFFIX.test(suffix))
      return { name: `${given} ${family} ${suffix}`, family: `${family} ${suffix}`, given };
    if (rest === '' || SUFFIX.test(rest))
      return rest === '' ? { name, family, given: null } : parsePersonName(`${family} ${rest}`);
    return { name: `${rest} ${family}`, family, given: rest };
  }
  const words = name.split(' ');
  if (words.length === 1 || UNSPACED.test(name)) return whole;
  let end = words.length;
  while (end > 2 && SUFFIX.test(words[end - 1] ?? '')) end -= 1;
  let from = end - 1;
  // At least one given name remains: "La Fontaine" alone would be a family name, "De Wit" too.
  while (from > 1 && PARTICLES.has((words[from - 1] ?? '').toLowerCase())) from -= 1;
  const suffix = words.slice(end).join(' ');
  return {
    name,
    family: words.slice(from, end).join(' ') + (suffix === '' ? '' : ` ${suffix}`),
    given: words.slice(0, from).join(' '),
  };
}
