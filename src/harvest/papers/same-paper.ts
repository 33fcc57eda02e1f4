import { belongsTo } from '../../download/index.ts';
import { compareTitles, isAboutAnother, titleWords } from '../../resolve/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { namedWork, namesOf, NO_IDS } from '../../works/index.ts';

/** A title of fewer words is too common to prove anything by itself. */
const FEWEST_WORDS = 4;

/** What of a document shows which paper it is. */
export interface PaperFace {
  readonly title: string | null;
  readonly authors: readonly string[];
  /** How its text begins, as far as title and authors reach. */
  readonly head: string;
}

/**
 * Whether a record is that of the paper whose id stands in it: a first page also names works that it cites, corrects or
 * comments on. The titles must agree; where none was found, or another line taken for it, the record's title and one of its
 * authors must stand at the head of the text.
 */
export function isSamePaper(face: PaperFace, record: WorkRecord): boolean {
  const words = titleWords(record.title);
  if (words.length === 0) return false;
  const isTelling = words.length >= FEWEST_WORDS;
  if (compareTitles(face.title, record.title) === 'same') return isTelling || namesAuthor(face, record) !== false;
  const ownWords = titleWords(face.title);
  if (ownWords.some((word) => isAboutAnother(word) && !words.includes(word))) return false;
  const work = namedWork(record.id, NO_IDS, { title: record.title });
  return isTelling && belongsTo(work, face.head) === 'yes' && namesAuthor(face, record) === true;
}

/** Whether one of a record's authors stands at the head of a paper; null where the record names none. */
function namesAuthor({ authors, head }: PaperFace, record: WorkRecord): boolean | null {
  const families = record.authors.map((author) => titleWords(namesOf(author).family ?? author.name).join(' '));
  const known = families.filter((name) => name !== '');
  if (known.length === 0) return null;
  const text = ` ${titleWords(authors.join(' ').slice(0, 1_000)).join(' ')} ${titleWords(head).join(' ')} `;
  return known.some((name) => text.includes(` ${name} `));
}
