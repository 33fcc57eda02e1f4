import { visibleText } from './characters.ts';

/** Program text: lines and indentation stay, blank lines at both ends and characters that show nothing go. */
export function rawCode(text: string): string {
  return visibleText(text)
    .replace(/\r\n?/g, '\n')
    .replace(/\u00A0/g, ' ')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
