export { VectorCache } from './cache.ts';
export { embedTexts } from './embed-texts.ts';
export type { Embedded } from './embed-texts.ts';
export type { DenseEngine, ModelIdentity, Role, SparseEngine, SparseVector } from './engine.ts';
