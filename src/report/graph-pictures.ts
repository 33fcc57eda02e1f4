import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { GraphPicture } from '../graph/index.ts';
import { openGraph, workLabel } from '../graph/index.ts';
import type { GraphWork } from './data.ts';
import type { ReportLimits } from './limits.ts';

/** What the page shows of the graph. */
export interface GatheredGraph {
  /** Null where no graph was built. */
  readonly works: readonly GraphWork[] | null;
  readonly pictures: readonly GraphPicture[];
  readonly leftOut: readonly string[];
}

/** The surroundings of every work of the corpus, those with most citations first, as far as the limits go. */
export function gatherGraph(folder: string, limits: ReportLimits): GatheredGraph {
  const path = join(folder, 'Graph', 'graph.sqlite');
  if (!existsSync(path)) return { works: null, pictures: [], leftOut: [] };
  try {
    using graph = openGraph(path);
    const all = graph.works();
    const works: GraphWork[] = [];
    const pictures: GraphPicture[] = [];
    let room = limits.graphChars;
    for (const { node } of all) {
      const picture = graph.neighbourhood(node.id);
      room -= JSON.stringify(picture).length;
      if (room < 0) break;
      pictures.push(picture);
      works.push({ id: node.id, label: workLabel(node) });
    }
    const left = all.length - works.length;
    return {
      works,
      pictures,
      leftOut:
        left > 0 ? [`${left.toLocaleString('en')} works are not in the drawings; docstokg graph show has them`] : [],
    };
  } catch (error) {
    // A graph of another version is no reason to have no report.
    if (!(error instanceof AppError)) throw error;
    return { works: null, pictures: [], leftOut: [`the graph is not shown: ${error.message}`] };
  }
}
