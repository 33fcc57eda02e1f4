export type { EntityType, Labelled, QuantityRole } from './decode.ts';
export type { Intent, Tagger } from './tagger.ts';
export { TAGGER_VERSION, openTagger, taggerFault } from './tagger.ts';
