import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';
import { lettersIn } from '../page/safety.ts';
import type { Setting } from './paragraph.ts';
import { cutParagraphs } from './paragraph.ts';
import type { ByPage, LinePiece } from '../pass.ts';
import { findUnruledTables } from '../table/unruled-table.ts';

/** Cuts the lines of all pieces into drafts, with the tables and pictures that are among them. */
export function cutDrafts(
  pieces: readonly LinePiece[],
  floats: ByPage<ReadonlyMap<number, Draft>>,
  setting: Setting,
  vocabulary: ReadonlySet<string>,
): Draft[] {
  const drafts: Draft[] = [];
  pieces.forEach(({ lines, page }, piece) => {
    const tables = new Map(findUnruledTables(lines, vocabulary).map((table) => [table.from, table]));
    let run: Line[] = [];
    const close = (): void => {
      drafts.push(...cutParagraphs(run, piece, setting));
      run = [];
    };
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      const unruled = tables.get(at);
      if (!line) continue;
      if (unruled) {
        close();
        const letters = new Map([[line.page, lettersIn(lines.slice(at, unruled.to))]]);
        drafts.push({
          kind: 'table',
          lines: [],
          page: line.page,
          piece,
          box: unruled.box,
          table: unruled.table,
          letters,
        });
        at = unruled.to - 1;
      } else if (line.float === undefined) {
        run.push(line);
      } else {
        close();
        const float = floats.get(page)?.get(line.float);
        if (float) drafts.push({ ...float, piece });
      }
    }
    close();
  });
  return drafts;
}
