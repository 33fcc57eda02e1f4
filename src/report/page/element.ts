type Attribute = string | number | boolean | undefined | ((event: never) => void);
type Attributes = Readonly<Record<string, Attribute>>;
type Child = Node | string | number | undefined | false;

/** An HTML element. What comes from files only ever becomes text or a plain attribute here, never markup. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled<T extends Element>(element: T, attributes: Attributes, children: readonly Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child as Node | string);
  return element;
}

/** A link to the web or to a file beside the page; anything else stays text. */
export function link(address: string, text: string, attributes: Attributes = {}): Node {
  if (!/^(?:https?:\/\/|\.\.?\/|file:\/\/)/.test(address)) return document.createTextNode(text);
  return html('a', { href: address, rel: 'noreferrer', ...attributes }, text);
}

/** A picture made of shapes, with what it shows in words. */
export function chart(
  label: string,
  size: readonly [width: number, height: number],
  attributes: Attributes,
  ...shapes: readonly Node[]
): SVGSVGElement {
  const [width, height] = size;
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label, ...attributes },
    svg('title', {}, label),
    ...shapes,
  );
}

/** Hands a text to the reader as a file. Nothing leaves the machine: the text is in the page already. */
export function saveText(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  html('a', { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
