import names from './section-names.json' with { type: 'json' };

interface HeadingNumber {
  readonly style: 'arabic' | 'roman' | 'letter' | 'appendix';
  /** "2.3.1" has three parts. */
  readonly depth: number;
  readonly rest: string;
}

/** What may be before the number of a section, by language; `§` is in all. */
const CHAPTER: ReadonlySet<string> = new Set(Object.values(names.chapter).flat());
const LABEL: ReadonlySet<string> = new Set([...CHAPTER, 'section', 'part', '§']);

const ARABIC = /^(\d{1,2}(?:\.\d{1,2}){0,4})[.):]?\s+(?:[|\u2502]\s+)?(?=\p{L})/u;

const ROMAN = /^([IVX]{1,5})(?:\.\s*(?=[\p{L}\p{S}])|\s+(?=\p{Lu}))/u;

const APPENDIX = /^(?:appendix|annex)\s+([A-Z]|[IVX]+|\d+)(?:[.:]?\s+|[.:]?$)/iu;

/** A small letter follows the initial of a species, as in "E. coli". */
const LETTER = /^([A-Z](?:\.\d{1,2}){0,3})(?:\.\s*(?!\p{Ll}{2})|\)\s+|\s+)(?=\p{L})/u;

export function headingNumber(text: string): HeadingNumber | undefined {
  const unlabelled = withoutLabel(text);
  const arabic = ARABIC.exec(unlabelled);
  if (arabic?.[1] !== undefined) {
    const parts = arabic[1].split('.');
    // "4.75 V" is a quantity: no section has so many parts.
    if (parts.slice(1).some((part) => Number(part) > 40)) return undefined;
    return { style: 'arabic', depth: parts.length, rest: unlabelled.slice(arabic[0].length) };
  }
  const appendix = APPENDIX.exec(text);
  if (appendix) return { style: 'appendix', depth: 1, rest: text.slice(appendix[0].length) };
  const roman = ROMAN.exec(text);
  if (roman && /[.]/.test(roman[0])) return { style: 'roman', depth: 1, rest: text.slice(roman[0].length) };
  const letter = LETTER.exec(text);
  if (letter?.[1] !== undefined && (/[.)]/.test(letter[0]) || /\s{1}$/.test(letter[0]))) {
    // "A study of …" begins with an article, not with a number.
    if (!/[.)]/.test(letter[0]) && !/^[A-Z]\s+\p{Lu}/u.test(text)) return undefined;
    return { style: 'letter', depth: letter[1].split('.').length, rest: text.slice(letter[0].length) };
  }
  return undefined;
}

/** "Chapter 3", with its name or without. */
export function isChapter(text: string): boolean {
  const [, word = ''] = /^(\p{L}+)\s+(?:\d{1,2}|[IVX]{1,5})(?![\p{L}\d])/iu.exec(text) ?? [];
  return CHAPTER.has(word.toLowerCase());
}

/** "Chapter 3 …" and "§ 3 …" from their number on. */
function withoutLabel(text: string): string {
  const [before = '', label = ''] = /^(\p{L}+|§)\s*(?=\d)/u.exec(text) ?? [];
  return LABEL.has(label.toLowerCase()) ? text.slice(before.length) : text;
}
