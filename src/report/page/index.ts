// What the report's page and the live page share.
export { barTable } from './bars.ts';
export { chart, html, link, svg } from './element.ts';
export { counted, duration, moment, number, percent, size, words } from './format.ts';
export { outcomeName } from './account-panel.ts';
export { flowSheet, pageSheet, toneOf } from './sheet.ts';
export { SideList } from './side-list.ts';
export type { SideEntry } from './side-list.ts';
export { excerpt, marked } from './snippet.ts';
export { field } from './works.ts';
export { GraphPanel } from './graph/panel.ts';
