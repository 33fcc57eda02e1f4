// Makes an SVG of a terminal:  tmux capture-pane -e -p | node scripts/terminal-picture.ts > picture.svg
// It knows what our commands write: bold, dim and the sixteen colours.
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

const WIDTH = 8.43;
const HEIGHT = 19;
const PADDING = 16;
const BAR = 26;
const PALETTE = ['#6c7086', '#f38ba8', '#a6e3a1', '#f9e2af', '#89b4fa', '#cba6f7', '#94e2d5', '#cdd6f4'];

interface Style {
  readonly colour?: string | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
}

function restyle(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return {};
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 39:
      return { ...style, colour: undefined };
    default:
      // 30 to 37, and the bright ones from 90 on; backgrounds are not drawn.
      return (code >= 30 && code <= 37) || code >= 90 ? { ...style, colour: PALETTE[code % 10] } : style;
  }
}

function span(content: string, { colour, bold, dim }: Style): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const attributes = [
    ...(colour ? [`fill="${colour}"`] : []),
    ...(bold ? ['font-weight="bold"'] : []),
    ...(dim ? ['fill-opacity=".6"'] : []),
  ];
  return attributes.length === 0 ? escaped : `<tspan ${attributes.join(' ')}>${escaped}</tspan>`;
}

/** Lines as tspans; a style goes on from line to line until it is ended, as in a terminal. */
function drawLines(lines: readonly string[]): string[] {
  let style: Style = {};
  return lines.map((line) =>
    line
      .split('\u001B[')
      .map((part, at) => {
        if (at === 0) return span(part, style);
        const end = part.indexOf('m');
        for (const code of part.slice(0, end).split(';')) style = restyle(style, Number(code));
        return part.length > end + 1 ? span(part.slice(end + 1), style) : '';
      })
      .join(''),
  );
}

const lines = (await text(process.stdin)).trimEnd().split('\n');
const columns = Math.max(60, ...lines.map((line) => stripVTControlCharacters(line).trimEnd().length));
const [width, height] = [Math.ceil(columns * WIDTH) + 2 * PADDING, lines.length * HEIGHT + BAR + PADDING];
const rows = drawLines(lines).map(
  (drawn, at) => `<text x="${PADDING}" y="${BAR + (at + 1) * HEIGHT - 4}">${drawn.trimEnd()}</text>`,
);
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
${['#f38ba8', '#f9e2af', '#a6e3a1'].map((colour, at) => `<circle cx="${PADDING + 4 + at * 18}" cy="15" r="5" fill="${colour}"/>`).join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd6f4" xml:space="preserve" style="white-space:pre">
${rows.join('\n')}
</g>
</svg>`);
