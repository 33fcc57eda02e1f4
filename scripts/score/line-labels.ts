import { alignLines } from './align.ts';
import type { TruthBlock } from './jats-truth.ts';

/** What a line is; a role that the truth does not decide is not named. */
export interface LineLabels {
  readonly reference?: boolean;
  readonly start?: boolean;
}

/** Lines inside a list of references that its truth does not have: links to databases. */
const UNKNOWN = 3;

/** Labels the lines of a paper by the blocks that its publisher's file has. */
export function labelLines(lines: readonly string[], truth: readonly TruthBlock[]): LineLabels[] {
  const places = alignLines(lines, truth);
  const kindAt = (at: number): TruthBlock['kind'] | undefined => truth[places[at] ?? -1]?.kind;
  joinReferences(places, kindAt);
  return lines.map((_, at): LineLabels => {
    const kind = kindAt(at);
    // A title is also in running heads and under "cite this".
    if (kind === 'title') return {};
    const isKnown = kind !== undefined && kind !== 'soft' && kind !== 'table';
    const inFormula = kind === 'formula' && kindAt(at - 1) === 'formula';
    return {
      reference: kind === 'reference',
      ...(at > 0 && isKnown && !inFormula && { start: places[at] !== places[at - 1] }),
    };
  });
}

/** Gives lines between two references to the first of them. */
function joinReferences(places: number[], kindAt: (at: number) => TruthBlock['kind'] | undefined): void {
  for (let at = 1; at < places.length; at += 1) {
    if ((places[at] ?? 0) >= 0 || kindAt(at - 1) !== 'reference') continue;
    let next = at;
    while (next - at <= UNKNOWN && (places[next] ?? 0) < 0) next += 1;
    if (kindAt(next) === 'reference') places.fill(places[at - 1] ?? -1, at, next);
  }
}
