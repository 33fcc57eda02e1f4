import { visibleText } from './characters.ts';

/** Program text: lines and indentation stay, blank lines at both ends and characters that show nothing go. */
export function rawCode(text: string): string {
  return dedent(
    visibleText(text)
      .replace(/\r\n?/g, '\n')
      .replace(/\u00A0/g, ' ')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd(),
  );
}

/** Indentation that every line shares belongs to the file around the code. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const shared = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return shared > 0 && Number.isFinite(shared) ? lines.map((line) => line.slice(shared)).join('\n') : text;
}
