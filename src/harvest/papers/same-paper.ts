import { belongsTo } from '../../download/index.ts';
import { compareTitles, isAboutAnother, titleWords } from '../../resolve/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { namedWork, namesOf, NO_IDS } from '../../works/index.ts';

/** Shorter titles are too common to prove anything alone. */
const FEWEST_WORDS = 4;

/** What identifies the paper in a document. */
export interface PaperFace {
  readonly title: string | null;
  readonly authors: readonly string[];
  /** The start of its text, including title and authors. */
  readonly head: string;
}

/**
 * Whether a record belongs to the paper that contains its id: a first page also names works that it cites, corrects or
 * comments on. The titles must match; if no title or a wrong line was found, the record's title and one of its authors
 * must be at the start of the text.
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

/** Whether an author of the record is named at the start of the paper; null if the record has none. */
function namesAuthor({ authors, head }: PaperFace, record: WorkRecord): boolean | null {
  const families = record.authors.map((author) => titleWords(namesOf(author).family ?? author.name).join(' '));
  const known = families.filter((name) => name !== '');
  if (known.length === 0) return null;
  const text = ` ${titleWords(authors.join(' ').slice(0, 1_000)).join(' ')} ${titleWords(head).join(' ')} `;
  return known.some((name) => text.includes(` ${name} `));
}
