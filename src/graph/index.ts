export { EDGE_KINDS, ENTITY_KINDS, NODE_KINDS, nodeKey } from './schema.ts';
export type {
  Contribution,
  EdgeKind,
  EdgeStatement,
  EntityKind,
  NodeKind,
  NodeStatement,
  TextPlace,
} from './schema.ts';
export { factsPath, graphPlan, graphWorker } from './build/stage.ts';
export { graphSources, hasFacts } from './build/graph-sources.ts';
export type { GraphInput } from './build/graph-sources.ts';
export type { DecidedNode } from './build/decided.ts';
export { DECIDED_OWNER } from './build/decided.ts';
export type { Catalogue, Directory, KnownWork, LookedUp, NamedWorks } from './lookup/look-up.ts';
export { lookUpNames, lookUpReferences } from './lookup/look-up.ts';
export { answersPath, findingsEstimate, readFindings } from './findings/findings-stage.ts';
export type { ExtractedFindings, FindingsEstimate, FindingsRequest } from './findings/findings-stage.ts';
export type { GraphPicture } from './picture/index.ts';
export { findCallouts } from './extract/callouts.ts';
export { sentencesOf } from './extract/reading.ts';
export { findCountries } from './names/countries.ts';
export { findDesignPhrases } from './names/study-designs.ts';
export { findSoftware } from './extract/software.ts';
export { entityName } from './extract/entity-names.ts';
export type { FindingRelation } from './findings/finding.ts';
