export { EDGE_KINDS, NODE_KINDS } from './schema.ts';
export type { EdgeKind, NodeKind } from './schema.ts';
export type {
  Contribution,
  EdgeStatement,
  Evidence,
  MetadataPlace,
  NodeStatement,
  OpenReference,
  TextPlace,
} from './contribution.ts';
export { GraphStore } from './store/graph-store.ts';
export type { GraphChange } from './store/graph-store.ts';
export { factsPath, graphPlan, graphWorker } from './build/stage.ts';
export type { GraphStageSettings } from './build/worker.ts';
export { updateGraph } from './build/update-graph.ts';
export type { GraphSources, GraphUpdate } from './build/update-graph.ts';
export type { Directory, NamedWorks } from './lookup/look-up.ts';
export { lookUpNames } from './lookup/look-up.ts';
export { lookUpReferences } from './lookup/look-up.ts';
export type { AskedReference, Catalogue, LookedUp } from './lookup/look-up.ts';
export { ReferenceAnswers } from './lookup/answers.ts';
export type { FoundWork, KeptAnswer, KnownWork, ReferenceAnswer } from './lookup/answers.ts';
export { answersPath, claimsEstimate, gatherClaims } from './claims/claims-stage.ts';
export type { ClaimRequest, ClaimsGathered } from './claims/claims-stage.ts';
export type { ClaimEstimate } from './claims/claims-stage.ts';
export { Graph, openGraph } from './ask/graph.ts';
export { describeDamage } from './store/database.ts';
export { nearDocuments } from './ask/near-documents.ts';
export { workLabel } from './ask/types.ts';
export { communities, pageRank } from './ask/ranking.ts';
export type { GraphNode, Neighbour, ShownEvidence, Weighted } from './ask/types.ts';
export { EXPORT_FORMATS, exportGraph } from './export/export-graph.ts';
export type { ExportFormat } from './export/export-graph.ts';
export type { GraphPicture, PictureEdge, PictureEdgeKind, PictureEvidence, PictureNode } from './picture/index.ts';
export { sentencesOf } from './extract/reading.ts';
