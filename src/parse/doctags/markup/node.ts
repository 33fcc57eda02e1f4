/** An element of a parsed HTML or XML file; names are local (without a namespace prefix). */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MarkupNode[];
}

/** An element, or a piece of text. */
export type MarkupNode = MarkupElement | string;

/** The first child element with one of the names. */
export function child(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement | undefined {
  if (!element) return undefined;
  for (const node of element.children) if (typeof node !== 'string' && names.includes(node.name)) return node;
  return undefined;
}

/** All child elements, or those with one of the names. */
export function children(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement[] {
  if (!element) return [];
  return element.children.filter(
    (node): node is MarkupElement => typeof node !== 'string' && (names.length === 0 || names.includes(node.name)),
  );
}

/** Follows a path of child names, taking the first of each. */
export function path(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement | undefined {
  let found = element;
  for (const name of names) found = child(found, name);
  return found;
}

/** Every element below that satisfies the test, in document order; what lies inside a found one is not searched. */
export function findAll(element: MarkupElement, test: (candidate: MarkupElement) => boolean): MarkupElement[] {
  const found: MarkupElement[] = [];
  const pending: MarkupElement[] = [element];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next !== element && test(next)) {
      found.push(next);
      continue;
    }
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const node = next.children[index];
      if (node !== undefined && typeof node !== 'string') pending.push(node);
    }
  }
  return found;
}

/** The first element below that satisfies the test. */
export function findFirst(
  element: MarkupElement,
  test: (candidate: MarkupElement) => boolean,
): MarkupElement | undefined {
  const pending: MarkupElement[] = [element];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next !== element && test(next)) return next;
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const node = next.children[index];
      if (node !== undefined && typeof node !== 'string') pending.push(node);
    }
  }
  return undefined;
}

/** All text below, as it is in the file. */
export function rawText(node: MarkupNode | undefined): string {
  if (node === undefined) return '';
  if (typeof node === 'string') return node;
  let text = '';
  for (const part of node.children) text += rawText(part);
  return text;
}
