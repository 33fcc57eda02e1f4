import type { Graph } from '../ask/graph.ts';
import { gexf, graphMl } from './graph-xml.ts';
import { jsonLd, vosViewer } from './json-forms.ts';
import { writeVault } from './obsidian.ts';
import { writeNeo4j, writeParquet } from './tables.ts';
import { writeText } from './write-text.ts';

/** The forms in which a graph is given to other programs; those with `folder` are several files. */
export const EXPORT_FORMATS = {
  graphml: { ending: '.graphml', folder: false },
  gexf: { ending: '.gexf', folder: false },
  vosviewer: { ending: '.vosviewer.json', folder: false },
  jsonld: { ending: '.jsonld', folder: false },
  neo4j: { ending: '-neo4j', folder: true },
  parquet: { ending: '-parquet', folder: true },
  obsidian: { ending: '-vault', folder: true },
} as const;

/** One of the forms. */
export type ExportFormat = keyof typeof EXPORT_FORMATS;

const WRITERS: Readonly<Record<ExportFormat, (graph: Graph, path: string) => Promise<void>>> = {
  graphml: (graph, path) => writeText(path, graphMl(graph)),
  gexf: (graph, path) => writeText(path, gexf(graph)),
  vosviewer: (graph, path) => writeText(path, vosViewer(graph)),
  jsonld: (graph, path) => writeText(path, jsonLd(graph)),
  neo4j: writeNeo4j,
  parquet: writeParquet,
  obsidian: writeVault,
};

/** Writes a graph for another program: a file, or a folder of files. */
export async function exportGraph(graph: Graph, format: ExportFormat, path: string): Promise<void> {
  await WRITERS[format](graph, path);
}
