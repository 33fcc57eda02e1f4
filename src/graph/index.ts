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
