import type { Paper } from '../paper.ts';
import type { Flow } from './flow.ts';
import type { Setting } from './lines.ts';
import type { Style } from './style.ts';

/** What everybody who sets a part of a paper needs. */
export interface Desk {
  readonly paper: Paper;
  readonly style: Style;
  readonly flow: Flow;
  readonly body: Setting;
}
