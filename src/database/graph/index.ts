export type { GraphUpdate } from './graph-rows.ts';
export {
  GraphRows,
  hasGraph,
  isGraphUnfinished,
  referenceAnswers,
  updateGraph,
  updateGraphSoon,
} from './graph-rows.ts';
