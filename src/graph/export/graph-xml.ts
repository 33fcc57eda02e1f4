import type { Graph } from '../ask/graph.ts';
import { edgesOf, nodesOf, xmlText } from './rows.ts';

/** The graph as GraphML, for yEd, igraph, NetworkX and others. */
export function* graphMl(graph: Graph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  for (const [id, where, type] of [
    ['id', 'node', 'string'],
    ['kind', 'node', 'string'],
    ['label', 'node', 'string'],
    ['year', 'node', 'int'],
    ['relation', 'edge', 'string'],
    ['evidence', 'edge', 'int'],
  ])
    yield `<key id="${id}" for="${where}" attr.name="${id}" attr.type="${type}"/>\n`;
  yield '<graph edgedefault="directed">\n';
  for (const { node, id, kind, label, year } of nodesOf(graph))
    yield `<node id="${node}"><data key="id">${xmlText(id)}</data><data key="kind">${kind}</data><data key="label">${xmlText(label)}</data>${year === null ? '' : `<data key="year">${year}</data>`}</node>\n`;
  for (const { source, kind, target, evidence } of edgesOf(graph))
    yield `<edge source="${source}" target="${target}"><data key="relation">${kind}</data><data key="evidence">${evidence}</data></edge>\n`;
  yield '</graph>\n</graphml>\n';
}

/** The graph as GEXF, for Gephi: kind and year are attributes to colour and to lay out by. */
export function* gexf(graph: Graph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n<graph defaultedgetype="directed">\n';
  yield '<attributes class="node"><attribute id="0" title="kind" type="string"/><attribute id="1" title="year" type="integer"/><attribute id="2" title="id" type="string"/></attributes>\n<nodes>\n';
  for (const { node, id, kind, label, year } of nodesOf(graph))
    yield `<node id="${node}" label="${xmlText(label.replace(/\s+/g, ' '))}"><attvalues><attvalue for="0" value="${kind}"/>${year === null ? '' : `<attvalue for="1" value="${year}"/>`}<attvalue for="2" value="${xmlText(id)}"/></attvalues></node>\n`;
  yield '</nodes>\n<edges>\n';
  let number = 0;
  for (const { source, kind, target, evidence } of edgesOf(graph)) {
    yield `<edge id="${number}" source="${source}" target="${target}" kind="${kind}" label="${kind}" weight="${evidence}"/>\n`;
    number += 1;
  }
  yield '</edges>\n</graph>\n</gexf>\n';
}
