import type { Paper } from '../paper.ts';
import type { Flow } from './flow.ts';
import type { Setting } from './lines.ts';
import type { Style } from './style.ts';

/** Shared context of the layout functions. */
export interface LayoutContext {
  readonly paper: Paper;
  readonly style: Style;
  readonly flow: Flow;
  readonly body: Setting;
}
