export { draftAbstract, draftTitle } from './draft.ts';
export { facts, questions } from './facts.ts';
export type {
  BodyBlock,
  Fact,
  Figure,
  FormulaBlock,
  Inline,
  List,
  Paper,
  PaperSpec,
  Paragraph,
  Reference,
  Section,
  TableFloat,
} from './paper.ts';
export { SIMULATED } from './paper.ts';
export { renderPdf } from './pdf/render-pdf.ts';
export type { Layout } from './pdf/style.ts';
export { renderHtml } from './markup/html.ts';
export { renderJats } from './markup/jats.ts';
export { renderTei } from './markup/tei.ts';
export { truth } from './truth.ts';
export type { Rendering, Truth } from './truth.ts';
export { writePaper } from './write-paper.ts';
