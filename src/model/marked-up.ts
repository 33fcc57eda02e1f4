/** Tags of prompts; a text cannot open or close them. */
const TAGS = /<(?=\/?(?:paper|passage|case|quote)\b)/gi;

/** A text between tags with attributes; null ones are left out. `isText`: tags in it are made harmless. */
export function markedUp(
  tag: 'paper' | 'passage' | 'case' | 'quote',
  attributes: Readonly<Record<string, string | number | null>>,
  content: string,
  isText = true,
): string {
  const written = Object.entries(attributes).map(([name, value]) =>
    value === null || value === ''
      ? ''
      : ` ${name}="${String(value)
          .replaceAll(/[<>"\s]+/g, ' ')
          .trim()}"`,
  );
  return `<${tag}${written.join('')}>\n${isText ? content.replaceAll(TAGS, '‹') : content}\n</${tag}>`;
}
