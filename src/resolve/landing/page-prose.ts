import type { Token } from 'parse5';
import { Tokenizer, TokenizerMode } from 'parse5';

/** How much a page has to read, without the tree of it. */
export interface PageProse {
  /** Words that a reader without JavaScript sees, up to a limit. */
  readonly words: number;
  /** Words in paragraphs long enough to be prose; references, menus and captions hold few of them. */
  readonly proseWords: number;
  readonly proseParagraphs: number;
  /** Different sections of a paper that headings name. */
  readonly sections: number;
}

/** A line of a list of references or of a menu is shorter. */
const FEWEST_PROSE_WORDS = 40;
const MOST_WORDS = 1_000_000;
const UNSEEN = new Set(['script', 'style', 'template', 'svg', 'head', 'select', 'textarea']);
const RAW = new Set(['style', 'xmp', 'noembed', 'noframes', 'iframe']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Elements whose beginning or end ends a paragraph. */
const BLOCKS = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p div section article li ul ol dl dd dt td th tr table figure figcaption blockquote header ' +
    'footer nav main aside body form pre'
  ).split(' '),
);
/** What the parts of a paper are called in the languages that papers are mostly written in. */
const SECTIONS: readonly RegExp[] = [
  /^(?:introduction|background|einleitung|introducci[oó]n|introdu[cç][aã]o|введение|引言|はじめに)/,
  /^(?:(?:materials? and )?methods?|methodology|experimental|patients and methods|methoden|m[eé]thodes?|mat[eé]riel|m[eé]todos?|materiales|методы|материалы|方法)/,
  /^(?:results?|findings|ergebnisse|r[eé]sultats|resultados|результаты|结果|結果)/,
  /^(?:discussion|diskussion|discusi[oó]n|discuss[aã]o|обсуждение|讨论|考察)/,
  /^(?:conclusions?|concluding remarks|summary and conclusions?|schluss|fazit|conclusi[oó]n|conclus[aã]o|заключение|выводы|结论|結論)/,
  /^(?:references|bibliography|literature cited|works cited|literatur|r[eé]f[eé]rences|referencias|refer[eê]ncias|список литературы|литература|参考文献)/,
  /^(?:acknowledge?ments?|author contributions|data availability|funding|danksagung|remerciements|agradecimientos)/,
];

/** Reads a page from end to end once; nesting costs nothing. */
export function readProse(page: string): PageProse {
  let words = 0;
  let proseWords = 0;
  let proseParagraphs = 0;
  const sections = new Set<number>();
  let unseen: string | undefined;
  let heading = '';
  let inHeading = false;
  let inBlock = 0;
  let inWord = false;
  const endBlock = (): void => {
    if (inBlock >= FEWEST_PROSE_WORDS && !inHeading) {
      proseWords += inBlock;
      proseParagraphs += 1;
    }
    inBlock = 0;
    inWord = false;
  };
  const endHeading = (): void => {
    const text = heading
      .toLowerCase()
      .trim()
      .replace(/^[\divx]{1,4}[.):]?\s+/, '');
    const at = SECTIONS.findIndex((section) => section.test(text));
    if (at !== -1) sections.add(at);
    inHeading = false;
    heading = '';
  };
  const read = (text: string): void => {
    if (unseen !== undefined || words > MOST_WORDS) return;
    if (inHeading && heading.length < 200) heading += text;
    for (const each of text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []) {
      const isWord = /^[\p{L}\p{N}]/u.test(each);
      if (isWord && !inWord) {
        // Scripts without blanks write a word in one or two characters.
        const count = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(each)
          ? Math.ceil(each.length / 2)
          : 1;
        words += count;
        inBlock += count;
      }
      inWord = isWord;
    }
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag({ tagName, selfClosing }: Token.TagToken) {
        tokenizer.lastStartTagName = tagName;
        if (tagName === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA;
        else if (tagName === 'title' || tagName === 'textarea') tokenizer.state = TokenizerMode.RCDATA;
        else if (RAW.has(tagName)) tokenizer.state = TokenizerMode.RAWTEXT;
        if (unseen === undefined && (UNSEEN.has(tagName) || RAW.has(tagName)) && !selfClosing) unseen = tagName;
        if (tagName === 'body' || (unseen === 'head' && BLOCKS.has(tagName))) unseen = undefined;
        if (!BLOCKS.has(tagName)) return;
        endBlock();
        if (inHeading) endHeading();
        inHeading = HEADINGS.has(tagName);
      },
      onEndTag({ tagName }: Token.TagToken) {
        if (tagName === unseen) unseen = undefined;
        if (!BLOCKS.has(tagName)) return;
        endBlock();
        if (inHeading) endHeading();
      },
      onCharacter: ({ chars }: Token.CharacterToken) => read(chars),
      onWhitespaceCharacter: ({ chars }: Token.CharacterToken) => read(chars),
      onNullCharacter: () => undefined,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: endBlock,
    },
  );
  tokenizer.write(page, true);
  return { words, proseWords, proseParagraphs, sections: sections.size };
}

const FULL_TEXT_WORDS = 1_500;
const FULL_TEXT_PARAGRAPHS = 8;

/**
 * Whether a page is itself the full text of a paper: prose of several pages in many paragraphs below the headings of a
 * paper. An abstract with related articles, or a preview with the beginning of each section, has less.
 */
export function isFullText({ proseWords, proseParagraphs, sections }: PageProse): boolean {
  return proseWords >= FULL_TEXT_WORDS && proseParagraphs >= FULL_TEXT_PARAGRAPHS && sections >= 2;
}
