export { featuresOf } from './features.ts';
export type { Rankable } from './features.ts';
export { DEFAULT_MODEL, RankingModel } from './model.ts';
export type { ModelOptions } from './model.ts';
export { isTimeToSample, promiseOf } from './stopping.ts';
