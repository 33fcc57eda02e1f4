import { headingNumber } from './heading-number.ts';
import { plainPhrase, spellings } from '../text/phrases.ts';
import names from './section-names.json' with { type: 'json' };

// The names of sections in many languages are in section-names.json; text/phrases.ts says how they are written there.

const ABSTRACT = spellings(names.abstract);
const KEYWORDS = [...spellings(names.keywords)].sort((one, other) => other.length - one.length);
const COMMON = spellings(names.common);
const BACK_MATTER = spellings(names.backMatter);
const REFERENCES = spellings(names.references);
const ARTICLE_TYPE = spellings(names.articleType);

/** A name that sections of papers have, in the body or after it. */
export function isCommonHeading(text: string): boolean {
  const name = plainPhrase(text.replace(/[.:]$/, ''));
  return COMMON.has(name) || ABSTRACT.has(name) || isReferencesHeading(name);
}

/** A name that sections after the conclusions have: funding, contributions, availability of data. */
export function isBackMatter(text: string): boolean {
  return BACK_MATTER.has(plainPhrase(text.replaceAll(/[’‘]/gu, "'").replace(/(?<![\s.:])[\s.:]+$/u, '')));
}

export function isAbstractHeading(text: string): boolean {
  return ABSTRACT.has(plainPhrase(text.replace(/[.:]$/, '')));
}

/** The heading above the list of references; on slides it may be counted ("References II"). */
export function isReferencesHeading(text: string): boolean {
  const name = (headingNumber(text)?.rest ?? text).replace(/[.:]$|\s(?:[IVX]{1,5}|\(?\d\/\d\)?)$/, '');
  return REFERENCES.has(plainPhrase(name));
}

/** The list of subjects under an abstract is a separate paragraph. */
export function isKeywords(text: string): boolean {
  const rest = behindKeywords(text) ?? '';
  // A sentence may end with the word.
  if (/^[:.—–-]/u.test(rest)) return !(rest.startsWith('.') && /^\p{Ll}/u.test(text));
  return /^\p{Lu}/u.test(text) && rest.split(/[·;|•]/u).length > 2;
}

/** The label of that list, which heads no section. */
export function isKeywordsLabel(text: string): boolean {
  return /^[:.—–-]?$/u.test(behindKeywords(text) ?? '…');
}

/** What is behind the label of that list. */
function behindKeywords(text: string): string | undefined {
  const lower = text.toLowerCase();
  const label = KEYWORDS.find((each) => lower.startsWith(each));
  return label === undefined ? undefined : text.slice(label.length).trim();
}

export function isHowToCite(text: string): boolean {
  return /^(?:cite this|citation\s?:|how to cite|to cite this)/i.test(text);
}

/**
 * The kind of article or a banner ("Research Article", "OPEN ACCESS", "Study Protocol Clinical Trial"), not what it is
 * about. "Systematic Review and" goes on.
 */
export function isArticleType(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word !== '');
  const isWhole = !/^(?:and|in|of|the|to)$/iu.test(words.at(-1) ?? '');
  return (
    isWhole && words.length > 0 && words.length <= 6 && words.every((word) => ARTICLE_TYPE.has(word.toLowerCase()))
  );
}
