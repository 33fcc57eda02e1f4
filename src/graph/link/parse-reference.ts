import { lettersOf } from '../../base/index.ts';

export interface CitedWork {
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly source: string | null;
  readonly volume: string | null;
  readonly pages: string | null;
}

export interface ParsedReference extends CitedWork {
  /** The number or label in front, without brackets. */
  readonly label: string | null;
}

const LABEL = /^\s*(?:\[\s?(?<square>[^\]\s]{1,12})\s?\]|\((?<round>\d{1,3})\)|(?<bare>\d{1,4})[.)]?(?=\s+\S))\s*/;
const YEAR = /(?<![\d./:–—‐−-])(?<year>1[5-9]\d\d|20[0-4]\d)(?<letter>[a-z])?(?![\d/]|\s?[–—‐−-]\s?\d)/g;
/** "Seidman LJ", "Seidman, L. J.", "Smânia A Júnior". */
const FAMILY_FIRST =
  /^(?<family>(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,4}(?:[dlDL]['’])?\p{Lu}[\p{L}'’\-‐–]{0,40}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,2}\p{Lu}[\p{Ll}'’\-‐–][\p{L}'’\-‐–]{0,40}){0,3}),?\s(?<initials>(?:(?:\p{Lu}\p{Ll}?\.[\s\-‐]{0,2}(?:\p{Ll}\.\s?)?){1,5}|(?:\p{Lu}[-‐]?){1,6}(?!\p{L})))(?:\s(?:Jr|Sr|Júnior|Junior|Filho|Neto|II|III)\.?(?!\p{L}))?(?=[,;.:&\s(]|$)/u;
/** "L. J. Seidman". */
const INITIALS_FIRST =
  /^(?<initials>(?:(?:\p{Lu}\p{Ll}?\.[\s\-‐]{0,2}(?:\p{Ll}\.\s?)?){1,5}|(?:\p{Lu}[-‐]?){1,6}(?!\p{L})))\s?(?<family>(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,4}(?:[dlDL]['’])?\p{Lu}[\p{L}'’\-‐–]{0,40}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,2}\p{Lu}[\p{Ll}'’\-‐–][\p{L}'’\-‐–]{0,40}){0,3})/u;
/** "Lee et al.": the first author alone, without initials. */
const ALONE =
  /^(?<family>(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,4}(?:[dlDL]['’])?\p{Lu}[\p{L}'’\-‐–]{0,40}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,2}\p{Lu}[\p{Ll}'’\-‐–][\p{L}'’\-‐–]{0,40}){0,3})(?=,?\set al)/u;
/** "Quentin Wójcik", "Mary Ann B. van der Berg": given names written out, the family name last. */
const FULL_NAME =
  /^(?<given>\p{Lu}\p{Ll}[\p{L}'’\-‐]{0,40}(?:\s(?:\p{Lu}\.|\p{Lu}\p{Ll}[\p{L}'’\-‐]{0,40})){0,2})\s(?<family>(?:(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,4}\p{Lu}[\p{L}'’\-‐]{1,40})(?=[,.;:&(]|\s(?:and|&|et|und|\()|$)/u;
const BODY =
  /^(?:Organi[sz]ation|Agency|Institutes?|University|Association|Society|Committee|Council|Commission|Ministry|Department|Cent(?:er|re)s?|Group|Bank|Union|Team|Consortium|Foundation|Network|Administration|Academy|College|Service|Bureau|Office|Federation|Board|Nations|Collaboration|Initiative|Programme?|Authority|Forum|Panel|Survey|Trust|Alliance|Fund)\s/iu;
/** A name of several capitalised words, one of which is that of a body. */
const BODIES =
  /(?:^|\s)(?:Organi[sz]ation|Agency|Institutes?|University|Association|Society|Committee|Council|Commission|Ministry|Department|Cent(?:er|re)s?|Group|Bank|Union|Team|Consortium|Foundation|Network|Administration|Academy|Bureau|Federation|Nations|Programme?|Authority)(?![\p{Ll}])/u;
const BETWEEN = /^(?:\s?(?:[,;&]|\.\.\.|…|\band\b|\bund\b|\bet\b(?! al)))+\s?/;
/** "Chalchat, J.C. Garry, R.P.": a comma was forgotten. */
const NO_COMMA =
  /^\s?(?=(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,4}(?:[dlDL]['’])?\p{Lu}[\p{L}'’\-‐–]{0,40}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|do|dos|das|du|la|le|el|al|ben|bin|ibn|ter|ten|zu|af|av|st|mac)\s){0,2}\p{Lu}[\p{Ll}'’\-‐–][\p{L}'’\-‐–]{0,40}){0,3},\s(?:\p{Lu}\.[\s-]?){1,3})/u;
const ET_AL = /^[,;\s]*(?:et\.? al\.?|and others|u\. ?a\.)[,;\s]*/i;
/** "Peiris Jea. Title": initials and "et al.", as a program for references joins them. */
const INITIALS_EA = /^(\p{Lu}[\p{L}'’-]{1,30} (?:\p{Lu}-?){1,3})ea\.(?=\s\p{Lu})/u;
const VOLUME_PAGES =
  /(?:vol(?:ume)?\.?\s?)?(?<!\d|\d\.)(?<volume>\d{1,4})(?:\s?\((?<issue>[^()]{1,20})\))?\s{0,6}[,:;]\s?(?:no\.?\s?\d{1,6}\s?,\s?)?(?:(?:pp?|pages?|art(?:icle)?)\.?\s?)?(?<pages>[a-z]{0,4}\d{1,12}(?:\.\d{1,12}){0,4}(?:\s?[-–—‐−]\s?[a-z]{0,4}\d{1,12})?)/gi;
/** Dates of access and of online publication: "[cited 2010 Mar 6]", "Accessed April 7, 2018", "published online January 24, 2020". */
const READ_ONLINE =
  /\[(?:cited|accessed|acesso|acessado|published|epub)[^\]]{0,60}\]?|(?<=[\s(])(?:accessed|retrieved|published online|last accessed|acesso em|zugriff am)[\s:]+(?:on\s)?[^;()]{0,12}\s\d{1,2}[^;()]{0,14}(?:19|20)\d\d/giu;
const LAST_SIGNS = /(?<![\s.,;:(])[\s.,;:(]+$/;
const MOST_AUTHORS = 60;

export function parseReference(printed: string): ParsedReference {
  const whole = printed
    .slice(0, 3_000)
    .replace(/\s+/g, ' ')
    // The copyright notice below a list is not part of its last entry.
    .replace(/©\s?\d{4}\s.*$/u, '')
    .trim();
  const mark = LABEL.exec(whole);
  const label = mark?.groups?.['square'] ?? mark?.groups?.['round'] ?? mark?.groups?.['bare'] ?? null;
  const text = (mark ? whole.slice(mark[0].length) : whole).replace(INITIALS_EA, '$1, et al.');
  const short = readAuthors(text);
  const { authors, end } = short.authors.length > 0 ? short : readFullNames(text);
  // "2010;137:2065": the year in front of a volume is no volume, and a page behind it no year.
  // Numbers of a title look like a place as well ("1, 8-cineole"): the last one counts, without identifiers behind it.
  const blank = (found: string): string => ' '.repeat(found.length);
  const rest = text.slice(end).replace(READ_ONLINE, '');
  const plain = rest
    .replace(/(?<!\d)(?:1[5-9]|20)\d\d(?=[a-z]?\s?(?:;|,\s?\d{1,4}\s?[,:(]))/g, blank)
    .replace(/(?:https?:\/\/|doi:?\s?10\.|10\.\d{4,9}\/|PMC?I?D:?\s?\d)\S*/giu, blank);
  const place = [...plain.matchAll(VOLUME_PAGES)].at(-1) ?? null;
  const year = yearIn(withoutPlace(rest, place)) ?? yearIn(rest) ?? yearIn(text);
  const body = rest.slice(0, place?.index ?? rest.length);
  const { title, source } = readTitle(body, authors.length === 0);
  return {
    label,
    authors,
    year,
    title,
    source,
    volume: place?.groups?.['volume'] ?? null,
    pages: place?.groups?.['pages']?.replace(/\s/g, '') ?? null,
  };
}

/** Shorter titles are mostly part of a journal's name, such as "Chem". */
const SHORTEST_LABEL = 16;

/** The label of a work known only from a reference: its title, or the reference where the title is too short. */
export function referenceLabel({ title }: Pick<ParsedReference, 'title'>, printed: string): string {
  if (title !== null && lettersOf(title).length >= SHORTEST_LABEL) return title;
  return withoutLabel(printed).replace(/\s+/g, ' ').trim().slice(0, 160);
}

export function withoutLabel(printed: string): string {
  return printed.replace(LABEL, '');
}

function readAuthors(text: string): { readonly authors: string[]; readonly end: number } {
  return readNames(
    text,
    (rest, isFirst) => FAMILY_FIRST.exec(rest) ?? INITIALS_FIRST.exec(rest) ?? (isFirst ? ALONE.exec(rest) : null),
  );
}

/** Words of a title look like names: names count only before a title and source, or several before a year. */
function readFullNames(text: string): { readonly authors: string[]; readonly end: number } {
  const { authors, end, hasOthers } = readNames(text, (rest) => FULL_NAME.exec(rest));
  const rest = text.slice(end);
  const dated = /^\.?\s?\(?(?:1[5-9]|20)\d\d/.test(rest);
  const titled = (hasOthers ? /^[^.?!]{10,300}[.?!]\s\S/ : /^\.\s[^.?!]{10,300}[.?!]\s\S/).test(rest);
  const people = authors.length > 0 && !authors.some((author) => BODY.test(author));
  return people && (titled || (dated && authors.length > 1)) ? { authors, end } : { authors: [], end: 0 };
}

/** Reads names up to the first word that is none, and "et al." behind them. */
function readNames(text: string, nameAt: (rest: string, isFirst: boolean) => RegExpExecArray | null) {
  const authors: string[] = [];
  let [end, from] = [0, 0];
  while (authors.length < MOST_AUTHORS) {
    const rest = text.slice(end);
    const between = authors.length === 0 ? '' : (BETWEEN.exec(rest) ?? NO_COMMA.exec(rest))?.[0];
    if (between === undefined) break;
    from = end + between.length;
    const name = nameAt(text.slice(from), authors.length === 0);
    if (!name?.groups) break;
    const { family = '', given = '', initials = given.replace(/\P{Lu}/gu, '') } = name.groups;
    authors.push(`${family.trim()} ${initials.replace(/\P{L}/gu, '').slice(0, 4)}`.trim());
    end = from + name[0].length;
  }
  for (const at of [end, from]) {
    const others = ET_AL.exec(text.slice(at));
    if (others) return { authors, end: at + others[0].length, hasOthers: true };
  }
  return { authors, end, hasOthers: false };
}

/** The text with the pages blanked, unless the supposed volume is a year: "Quim Nova 2007, 30". */
function withoutPlace(text: string, place: RegExpMatchArray | null): string {
  const { volume = '', pages = '' } = place?.groups ?? {};
  if (!place || /^(?:1[5-9]|20)\d\d$/.test(volume)) return text;
  const from = (place.index ?? 0) + place[0].length - pages.length;
  return text.slice(0, from) + ' '.repeat(pages.length) + text.slice(from + pages.length);
}

function yearIn(text: string): number | null {
  // A year directly behind the authors, in brackets, or before a volume is the year; else the last one, as a title may name another.
  const opening = /^[\s.,(]{0,4}(?<year>1[5-9]\d\d|20[0-4]\d)[a-z]?[).,:]/.exec(text)?.groups?.['year'];
  const bracketed = /\((?<year>1[5-9]\d\d|20[0-4]\d)[a-z]?[^)]{0,20}\)/.exec(text)?.groups?.['year'];
  const ahead = /(?<=[.,]\s|\s)(?<year>1[5-9]\d\d|20[0-4]\d)[a-z]?\s?(?:[A-Z][a-z]{2}\s?\d{0,2}\s?)?;/.exec(text)
    ?.groups?.['year'];
  const found = opening ?? bracketed ?? ahead ?? [...text.matchAll(YEAR)].at(-1)?.groups?.['year'];
  return found === undefined ? null : Number(found);
}

/** The end of a sentence: after three letters or digits, or a short number, and thus not after an abbreviation. */
const SENTENCE_END =
  /(?<=[\p{L}\p{N})\]"”’'-]{3}|\s[\p{Lu}\p{N}]{1,2})[.?!]+(?=\s+[\p{Lu}\p{N}“"]|\p{Lu}\p{Ll}{2}|\s\p{Ll}+\p{Lu})/gu;

function readTitle(body: string, isByBody: boolean): { readonly title: string | null; readonly source: string | null } {
  const plain = body
    .replace(/^[\s.,;:]*(?:\((?:1[5-9]|20)\d\d[a-z]?\)|(?:1[5-9]|20)\d\d[a-z]?(?=[\s]?[.,;:)]))[\s.,;:)]*/, '')
    .replace(/^[\s.,;:]+/, '');
  const quoted = /^["“”„«](?<title>[^"“”«»]{4,400}?)[,.]?["“”»](?<rest>.*)$/s.exec(plain)?.groups;
  if (quoted) return { title: clean(quoted['title']), source: cleanSource(quoted['rest']) };
  const ends = [...plain.matchAll(SENTENCE_END)];
  const sentence = (at: number): string => plain.slice((ends[at - 1]?.index ?? -1) + 1, ends[at]?.index).trim();
  // "World Health Organization. Global report. Geneva": the first sentence is the author.
  const first = isByBody && ends.length > 1 && BODIES.test(sentence(0)) ? 1 : 0;
  let last = first;
  // "Daunomycin-induced toxicity. A review of 110 cases. Am J Med": the second sentence belongs to the title.
  while (ends[last + 1] && isSubtitle(sentence(last + 1))) last += 1;
  const end = ends[last];
  if (!end) return commaTitle(plain) ?? { title: null, source: cleanSource(plain) };
  const from = first === 0 ? 0 : (ends[0]?.index ?? 0) + 1;
  return {
    title: clean(plain.slice(from, end.index + (plain[end.index] === '.' ? 0 : 1))),
    source: cleanSource(plain.slice(end.index + end[0].length)),
  };
}

/** A title that ends at the comma before a journal or archive: "Scattering equations, J. High Energy Phys." */
function commaTitle(plain: string): { readonly title: string | null; readonly source: string | null } | undefined {
  const end = /,\s(?=(?:arXiv|(?:\p{Lu}\p{Ll}{0,9}\.\s?){2}))/u.exec(plain);
  return (
    (end && { title: clean(plain.slice(0, end.index)), source: cleanSource(plain.slice(end.index + 1)) }) || undefined
  );
}

/** Whether most words begin with a small letter, as they do not in the name of a journal. */
function isSubtitle(sentence: string): boolean {
  const [, ...words] = sentence.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return words.length > 2 && words.filter((word) => /^\p{Ll}/u.test(word)).length >= words.length * 0.6;
}

function clean(text: string | undefined): string | null {
  const value = (text ?? '').replace(/(?<=\p{Ll})[-‐]\s+(?=\p{Ll})/gu, '').trim();
  return value.length < 4 ? null : value;
}

function cleanSource(text: string | undefined): string | null {
  const value = (text ?? '')
    .replace(/^[\s.,;:]+/, '')
    .replace(/\(?(?:1[5-9]\d\d|20\d\d)[a-z]?\)?.*$/s, '')
    .replace(/https?:\/\/.*$|doi:.*$/is, '')
    .replace(LAST_SIGNS, '')
    .replace(/(?<=[\s.,;:(])vol(?:ume)?$/i, '')
    .replace(LAST_SIGNS, '');
  return value.length < 2 || value.length > 200 ? null : value;
}
