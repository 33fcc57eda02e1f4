import type { Token } from 'parse5';
import { Tokenizer, TokenizerMode } from 'parse5';

/** One start tag of a page, with the text that follows it where that is asked for. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  text: string;
}

const WANTED = new Set([
  'meta',
  'link',
  'base',
  'a',
  'script',
  'title',
  'embed',
  'iframe',
  'object',
  'form',
  'input',
  'div',
  'ds-app',
  'body',
  'html',
]);
const WITH_TEXT = new Set(['title', 'script', 'a']);
const MAX_TAGS = 20_000;
const MAX_TEXT = 200_000;

/**
 * The tags of a page that say where its full text is. No tree is built: a page nested a hundred thousand deep costs no
 * more than any other of its length.
 */
export function readTags(page: string): readonly Tag[] {
  const tags: Tag[] = [];
  let open: Tag | undefined;
  let textLeft = MAX_TEXT;
  const addText = (chars: string): void => {
    if (!open || textLeft <= 0) return;
    open.text += chars.slice(0, textLeft);
    textLeft -= chars.length;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag(token: Token.TagToken) {
        const { tagName } = token;
        tokenizer.lastStartTagName = tagName;
        if (tagName === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA;
        else if (tagName === 'title' || tagName === 'textarea') tokenizer.state = TokenizerMode.RCDATA;
        else if (['style', 'xmp', 'noembed', 'noframes', 'iframe'].includes(tagName))
          tokenizer.state = TokenizerMode.RAWTEXT;
        if (!WANTED.has(tagName) || tags.length >= MAX_TAGS) return;
        const tag = {
          name: tagName,
          attributes: new Map(token.attrs.map(({ name, value }) => [name, value])),
          text: '',
        };
        tags.push(tag);
        if (WITH_TEXT.has(tagName)) {
          open = tag;
          textLeft = MAX_TEXT;
        }
      },
      onEndTag(token: Token.TagToken) {
        if (open?.name === token.tagName) open = undefined;
      },
      onCharacter: (token: Token.CharacterToken) => addText(token.chars),
      onWhitespaceCharacter: (token: Token.CharacterToken) => addText(token.chars),
      onNullCharacter: () => undefined,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
    },
  );
  tokenizer.write(page, true);
  return tags;
}
