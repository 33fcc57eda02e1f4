export { VectorCache } from './cache.ts';
export { embedTexts } from './embed-texts.ts';
export type { Embedded } from './embed-texts.ts';
export type { DenseEngine, ModelIdentity, Role, SparseEngine, SparseVector } from './engine.ts';
export { loadBm25, measureBm25, openBm25, saveBm25 } from './engines/bm25.ts';
export type { Bm25Statistics } from './engines/bm25.ts';
export { quantiseVector } from './normalise.ts';
export { openDenseEngine, openSpladeEngine } from './open-engine.ts';
export type { DenseSettings } from './open-engine.ts';
