export type { GraphUpdate } from './graph-rows.ts';
export {
  GraphRows,
  hasGraph,
  isGraphUnfinished,
  ReferenceAnswers,
  updateGraph,
  updateGraphSoon,
} from './graph-rows.ts';
