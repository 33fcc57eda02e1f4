import type { Token } from 'parse5';
import { Tokenizer, TokenizerMode } from 'parse5';

/** `references`: lists of cited, citing and related works; `frame`: the site's navigation and footer. */
type Zone = 'article' | 'references' | 'frame';

/** A start tag, with its text for `title`, `script` and `a`. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  text: string;
  readonly zone: Zone;
  /** Offset in the text of the article zone. */
  readonly at: number;
  /** The end of its block's text before it. */
  readonly before: string;
}

/** How much running text a page has, in words. */
interface Prose {
  readonly words: number;
  /** Words in paragraphs long enough to be prose; menus and captions are shorter. */
  readonly proseWords: number;
  readonly proseParagraphs: number;
  /** Prose in at least three consecutive paragraphs without a heading or linked title in between. */
  readonly runningWords: number;
  /** Runs of prose paragraphs between headings or linked titles. */
  readonly runs: number;
  readonly sections: number;
  readonly hasAbstract: boolean;
}

export interface ReadPage {
  readonly tags: Tag[];
  /** Visible text of the article zone, one block per line. */
  readonly text: string;
  /** Short texts of the article zone: headings, labels, links, short paragraphs. */
  readonly notices: string[];
  readonly prose: Prose;
}

type PageProse = ReadPage['prose'];

const WANTED = new Set(
  'meta link base a script title embed iframe frame object form input div ds-app body html'.split(' '),
);
const WITH_TEXT = new Set(['title', 'script', 'a']);
const MAX_TAGS = 20_000;
const MAX_TAG_TEXT = 200_000;
const MAX_TEXT = 2_000_000;
const MAX_WORDS = 1_000_000;
/** Lines of menus and reference lists are shorter. */
const PROSE_WORDS = 40;
const RUN_PARAGRAPHS = 3;
const HIDDEN = new Set(['script', 'style', 'template', 'svg', 'head', 'select', 'textarea']);
/** Their labels are read one by one. */
const CONTROLS = new Set(['a', 'button', 'label', 'summary', 'option']);
const MAX_NOTICES = 20_000;
const LONGEST_NOTICE = 400;
const MOST_BEFORE = 200;
const RAW = new Set(['style', 'xmp', 'noembed', 'noframes', 'iframe']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const CONTAINERS = new Set('div section article aside main nav footer ol ul dl table'.split(' '));
const BLOCKS = new Set([
  ...HEADINGS,
  ...CONTAINERS,
  ...'p li dd dt td th tr figure figcaption blockquote header body form pre'.split(' '),
]);
const SECTIONS: readonly RegExp[] = [
  /^(?:introduction|background|einleitung|introducci[oó]n|introdu[cç][aã]o|введение|引言|はじめに)/,
  /^(?:(?:materials? and )?methods?|methodology|experimental|patients and methods|methoden|m[eé]thodes?|mat[eé]riel|m[eé]todos?|materiales|методы|материалы|方法)/,
  /^(?:results?|findings|ergebnisse|r[eé]sultats|resultados|результаты|结果|結果)/,
  /^(?:discussion|diskussion|discusi[oó]n|discuss[aã]o|обсуждение|讨论|考察)/,
  /^(?:conclusions?|concluding remarks|summary and conclusions?|schluss|fazit|conclusi[oó]n|conclus[aã]o|заключение|выводы|结论|結論)/,
  /^(?:references|bibliography|literature cited|works cited|literatur|r[eé]f[eé]rences|referencias|refer[eê]ncias|список литературы|литература|参考文献)/,
  /^(?:acknowledge?ments?|author contributions|data availability|funding|danksagung|remerciements|agradecimientos)/,
];
const ABSTRACT =
  /^(?:abstract|summary|synopsis|plain[- ]language summary|zusammenfassung|r[eé]sum[eé]|resumen|resumo|riassunto|аннотация|резюме|摘要|要旨|抄録|초록)/;
const OTHER_WORKS =
  /^(?:(?:end ?|foot ?)?notes(?: (?:and|&) references)?|references?(?: (?:and|&) (?:notes?|further reading))?|(?:cited )?(?:literature|references)(?: cited)?|works cited|bibliograph(?:y|ie)|literatur(?:verzeichnis)?|r[eé]f[eé]rences(?: bibliographiques)?|referencias(?: bibliogr[aá]ficas)?|bibliograf[ií]a|refer[eê]ncias(?: bibliogr[aá]ficas)?|список литературы|литература|参考文献|cited by|(?:works|articles|papers) citing.{0,40}|citing (?:articles|literature|works)|(?:related|similar|recommended|suggested|other) (?:articles?|content|papers|works|documents|reading|research|publications)|recommended(?: for you)?|further reading|see also|(?:people|readers|others|users) also .{1,30}|you (?:may|might) also .{1,30}|more (?:from|by|in|like) .{1,60}|most (?:read|cited|viewed|downloaded|popular).{0,30})$/;
/** Class names and ids of such lists; `has-references` describes something larger. */
const OTHER_WORKS_NAME =
  /^(?!(?:has|with|show|hide|no|is|js|toggle)[-_])(?:[a-z]{1,12}[-_]{1,2}){0,3}(?:references|refs|ref-?list|reference-?list|bibliography|citation-?list|cited-?by|related-?(?:articles?|content|works|papers)|recommendations|similar-?articles)(?:[-_]{1,2}(?:list|section|container|content|item|block|panel|wrapper|body|\d{1,4}))?$/i;
/** Ids of reference list entries: `ref12`, `bib3`, `CR7`. */
const REFERENCE_ID = /^(?:ref|reference|cit|bib|cr|r|b)[-_.]?\d{1,4}$/i;

interface OpenList {
  /** Number of open containers at its start; with fewer it has ended. */
  depth: number;
  /** Level of the heading that opened it; null if an element did. */
  readonly level: number | null;
  hasWords: boolean;
}

/** Reads a page once, token by token, without building a tree: nesting a hundred thousand deep costs nothing. */
export function readPage(page: string): ReadPage {
  const tags: Tag[] = [];
  const text: string[] = [];
  let length = 0;
  const sections = new Set<number>();
  let [words, proseWords, proseParagraphs, runningWords, runs] = [0, 0, 0, 0, 0];
  let hasAbstract = false;
  let open: Tag | undefined;
  let hidden: string | undefined;
  const containers: string[] = [];
  let list: OpenList | undefined;
  let frameDepth: number | undefined;
  let isReferenceItem = false;
  let block = { element: '', text: '', words: 0, linkedWords: 0 };
  let before = '';
  let run = { paragraphs: 0, words: 0 };
  const notices: string[] = [];
  let notice = '';
  let isInWord = false;
  let isAfterBreak = false;

  const zone = (): Zone => (list || isReferenceItem ? 'references' : frameDepth !== undefined ? 'frame' : 'article');
  const endRun = (): void => {
    if (run.paragraphs > 0) runs += 1;
    if (run.paragraphs >= RUN_PARAGRAPHS) runningWords += run.words;
    run = { paragraphs: 0, words: 0 };
  };
  const endNotice = (): void => {
    const isShort = notice.length <= LONGEST_NOTICE && /\p{L}/u.test(notice);
    if (isShort && notices.length < MAX_NOTICES && zone() === 'article') notices.push(notice);
    notice = '';
  };
  const endBlock = (next: string): void => {
    endNotice();
    const { element, words: count } = block;
    const title = block.text
      .toLowerCase()
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/^(?:\d{1,2}|[ivx]{1,4})[.):]?\s/, '');
    const isHeading = HEADINGS.has(element);
    if (isHeading) {
      const at = SECTIONS.findIndex((section) => section.test(title));
      if (at !== -1) sections.add(at);
      hasAbstract ||= ABSTRACT.test(title);
      endRun();
    } else if (count >= PROSE_WORDS && zone() === 'article') {
      proseWords += count;
      proseParagraphs += 1;
      run = { paragraphs: run.paragraphs + 1, words: run.words + count };
    } else if (count > 0 && block.linkedWords === count) endRun();
    if (count > 0 && list) list.hasWords = true;
    // A linked name is a menu entry; the list's own heading is not linked.
    const names = (isHeading || element === 'p') && count > 0 && (isHeading || block.linkedWords === 0);
    if (names && !list && OTHER_WORKS.test(title.replace(/ ?\(?\d{1,5}\)?$|:$/, '')))
      list = { depth: containers.length, level: isHeading ? Number(element[1]) : 7, hasWords: false };
    block = { element: next, text: '', words: 0, linkedWords: 0 };
    before = '';
    isInWord = false;
    if (length < MAX_TEXT && text.at(-1) !== '\n') {
      text.push('\n');
      length += 1;
    }
  };
  const read = (chars: string): void => {
    if (open && open.text.length < MAX_TAG_TEXT) open.text += chars.slice(0, MAX_TAG_TEXT - open.text.length);
    if (hidden !== undefined || words > MAX_WORDS) return;
    if (isAfterBreak && /\S/.test(chars)) isAfterBreak = false;
    if (block.text.length < 200) block.text += chars.slice(0, 200);
    before = (before + chars).slice(-MOST_BEFORE);
    if (notice.length <= LONGEST_NOTICE) notice += chars.slice(0, LONGEST_NOTICE + 1);
    if (length < MAX_TEXT && zone() === 'article') {
      text.push(chars);
      length += chars.length;
    }
    for (const each of chars.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []) {
      const isWord = /^[\p{L}\p{N}]/u.test(each);
      if (isWord && !isInWord) {
        // In scripts without spaces a word is one or two characters.
        const count = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(each)
          ? Math.ceil(each.length / 2)
          : 1;
        words += count;
        block.words += count;
        if (open?.name === 'a') block.linkedWords += count;
      }
      isInWord = isWord;
    }
  };
  const openElement = (name: string, attributes: ReadonlyMap<string, string>): void => {
    if (HEADINGS.has(name) && list && list.level !== null && Number(name[1]) <= list.level) list = undefined;
    const names = [attributes.get('id') ?? '', ...(attributes.get('class') ?? '').split(/\s+/)];
    if (name === 'li' || name === 'p') isReferenceItem = REFERENCE_ID.test(names[0] ?? '');
    if (!CONTAINERS.has(name)) return;
    containers.push(name);
    if (!list && names.some((each) => each.length < 60 && OTHER_WORKS_NAME.test(each)))
      list = { depth: containers.length, level: null, hasWords: false };
    if (name === 'nav' || name === 'footer') frameDepth ??= containers.length;
  };
  const closeElement = (name: string): void => {
    if (name === 'li' || name === 'p' || CONTAINERS.has(name)) isReferenceItem = false;
    if (!CONTAINERS.has(name)) return;
    // An unmatched end tag closes nothing; a distant start tag belongs to another end tag.
    let at = containers.length - 1;
    const outermost = Math.max(0, containers.length - 20);
    while (at >= outermost && containers[at] !== name) at -= 1;
    if (at < outermost) return;
    containers.length = at;
    if (frameDepth !== undefined && at < frameDepth) frameDepth = undefined;
    if (!list || at >= list.depth) return;
    // A heading may be alone in its container, with the list after it.
    if (list.level !== null && !list.hasWords) list.depth = at;
    else list = undefined;
  };

  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag({ tagName, attrs, selfClosing }: Token.TagToken) {
        tokenizer.lastStartTagName = tagName;
        if (tagName === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA;
        else if (tagName === 'title' || tagName === 'textarea') tokenizer.state = TokenizerMode.RCDATA;
        else if (RAW.has(tagName)) tokenizer.state = TokenizerMode.RAWTEXT;
        if (hidden === undefined && (HIDDEN.has(tagName) || RAW.has(tagName)) && !selfClosing) hidden = tagName;
        if (tagName === 'body' || (hidden === 'head' && BLOCKS.has(tagName))) hidden = undefined;
        if (CONTROLS.has(tagName)) endNotice();
        const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
        if (BLOCKS.has(tagName)) {
          endBlock(tagName);
          openElement(tagName, attributes);
        }
        // Old pages separate paragraphs by two line breaks.
        else if (tagName === 'br' && isAfterBreak) endBlock(block.element);
        else if (tagName === 'br') read('\n');
        isAfterBreak = tagName === 'br';
        if (!WANTED.has(tagName) || tags.length >= MAX_TAGS) return;
        const tag: Tag = { name: tagName, attributes, text: '', zone: zone(), at: length, before };
        tags.push(tag);
        if (WITH_TEXT.has(tagName)) open = tag;
      },
      onEndTag({ tagName }: Token.TagToken) {
        if (CONTROLS.has(tagName)) endNotice();
        if (open?.name === tagName) open = undefined;
        if (tagName === hidden) hidden = undefined;
        if (!BLOCKS.has(tagName)) return;
        endBlock('');
        closeElement(tagName);
      },
      onCharacter: ({ chars }: Token.CharacterToken) => read(chars),
      onWhitespaceCharacter: ({ chars }: Token.CharacterToken) => read(chars),
      onNullCharacter: () => undefined,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
    },
  );
  tokenizer.write(page, true);
  endBlock('');
  endRun();
  return {
    tags,
    text: text.join(''),
    notices,
    prose: {
      words,
      proseWords,
      proseParagraphs,
      runningWords,
      runs,
      sections: sections.size,
      hasAbstract,
    },
  };
}

const FULL_TEXT_WORDS = 1_500;
const FULL_TEXT_PARAGRAPHS = 8;
/** Without the usual headings more text is needed: essays, law reviews, humanities. */
const ESSAY_WORDS = 2_000;

/** A short communication has all sections with several paragraphs; a preview shows one paragraph of each. */
const SHORT_WORDS = 1_000;
const SHORT_SECTIONS = 4;

/** Abstract pages and previews have less. */
function hasPaperSections({ proseWords, proseParagraphs, sections }: PageProse): boolean {
  if (proseParagraphs < FULL_TEXT_PARAGRAPHS) return false;
  const isShortPaper = proseWords >= SHORT_WORDS && sections >= SHORT_SECTIONS && proseParagraphs >= 2 * sections;
  return isShortPaper || (proseWords >= FULL_TEXT_WORDS && sections >= 2);
}

/** News and comments are short and have no abstract; a page of teasers has a heading or link for each paragraph. */
const NEWS_WORDS = 800;
const PARAGRAPHS_PER_RUN = 1.5;

function isNews({ proseWords, proseParagraphs, runs, hasAbstract }: PageProse): boolean {
  return !hasAbstract && proseWords >= NEWS_WORDS && proseParagraphs >= PARAGRAPHS_PER_RUN * runs;
}

/** Running prose needs no headings: in lists of abstracts each paragraph has its own heading or link. */
export function isFullText(prose: PageProse, isStated: boolean): boolean {
  if (prose.proseParagraphs < FULL_TEXT_PARAGRAPHS) return false;
  return hasPaperSections(prose) || prose.runningWords >= ESSAY_WORDS || (isStated && isNews(prose));
}

/** Decodes an HTML page by its byte order mark, header or meta element; an unknown charset is read as UTF-8. */
export function decodePage(body: Buffer, contentType: string | undefined): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return body.subarray(3).toString('utf8');
  if (body[0] === 0xff && body[1] === 0xfe) return new TextDecoder('utf-16le').decode(body);
  if (body[0] === 0xfe && body[1] === 0xff) return new TextDecoder('utf-16be').decode(body);
  const head = body.subarray(0, 2048).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType ?? '')?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ??
    'utf-8';
  // Escape sequences of ISO-2022 can hide markup from filters.
  if (/2022/.test(named)) return body.toString('utf8');
  try {
    return new TextDecoder(named).decode(body);
  } catch (error) {
    // TextDecoder knows the charsets of the web, without UTF-7.
    if (error instanceof RangeError) return body.toString('utf8');
    throw error;
  }
}

export interface PageFace {
  readonly title: string;
  readonly prose: Prose;
  /** The page describes a work in its metadata, or is its full text. */
  readonly isArticle: boolean;
  readonly asksPassword: boolean;
  readonly files: number;
}

const STATES_WORK =
  /^(?:citation_(?!journal|issn|publisher)|bepress_citation_|eprints\.(?!eprintid)|prism\.|wkhealth_|dc(?:terms)?\.(?:title|identifier|creator)$)/;

/** Distinguishes an article page from a login or bot wall. */
export function faceOf({ tags, prose }: ReadPage): PageFace {
  const states = tags.some(({ name, attributes }) => {
    if (name !== 'meta') return false;
    const content = (attributes.get('content') ?? '').trim().toLowerCase();
    const key = (attributes.get('name') ?? attributes.get('property') ?? '').trim().toLowerCase();
    // Pages built by scripts have only this.
    if (key === 'og:type') return content === 'article' || content === 'book';
    return content !== '' && STATES_WORK.test(key);
  });
  return {
    title: (tags.find(({ name }) => name === 'title')?.text ?? '').trim().replace(/\s+/g, ' '),
    prose,
    isArticle: states || hasPaperSections(prose) || tags.some(isScholarly),
    asksPassword: tags.some(
      ({ name, attributes }) => name === 'input' && attributes.get('type')?.trim().toLowerCase() === 'password',
    ),
    files: tags.filter(
      ({ name, attributes }) => name === 'a' && /\.(?:pdf|xml)($|[?#])/i.test(attributes.get('href') ?? ''),
    ).length,
  };
}

function isScholarly({ name, attributes, text }: Tag): boolean {
  return (
    name === 'script' &&
    /ld\+json/i.test(attributes.get('type') ?? '') &&
    /"@type"\s{0,9}:\s{0,9}(?:\[\s{0,9})?"(?:ScholarlyArticle|MedicalScholarlyArticle|Thesis|Report)"/.test(text)
  );
}
