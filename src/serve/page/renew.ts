/** Whoever presses one must press what was shown: it stays only where it is the same in everything. */
const PRESSED = 'button, a, input, select';

/**
 * Shows new children in place of the old ones. Those that are there already stay: a table that changes every second does
 * not take away the button that is being pressed, and what has the focus keeps it.
 */
export function renew(within: Element, children: readonly Node[]): void {
  const focused = within.contains(document.activeElement) ? document.activeElement : null;
  const label = focused?.getAttribute('aria-label');
  merge(within, children);
  if (label && document.activeElement !== focused)
    within.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`)?.focus();
}

function merge(within: Node, children: readonly Node[]): void {
  const before = Map.groupBy(within.childNodes, nameOf);
  const kept = children.map((child) => before.get(nameOf(child))?.shift());
  for (const gone of [...before.values()].flat()) within.removeChild(gone);
  let place = within.firstChild;
  for (const [at, child] of children.entries()) {
    const old = kept[at];
    if (old === place && old) place = old.nextSibling;
    else within.insertBefore(old ?? child, place);
    if (old && !old.isEqualNode(child)) merge(old, [...child.childNodes]);
  }
}

/** What a node is known by: itself without what is in it, and a text or what can be pressed by all of it. */
function nameOf(node: Node): string {
  if (!(node instanceof Element)) return node.nodeValue ?? '';
  return node.matches(PRESSED) ? node.outerHTML : (node.cloneNode(false) as Element).outerHTML;
}
