import type { Stretch } from '../parse/index.ts';

/** What the tagger may name a stretch of text. */
export const ENTITY_TYPES = [
  'disease',
  'chemical',
  'gene',
  'organism',
  'cell',
  'anatomy',
  'material',
  'method',
  'dataset',
  'measure',
  'population',
  'intervention',
  'outcome',
  'place',
  'organisation',
  'software',
  'device',
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What a quantity is of; told of a sentence in which one quantity is marked. */
export const QUANTITY_ROLES = ['property', 'measured', 'unit'] as const;
export type QuantityRole = (typeof QUANTITY_ROLES)[number];

/** The classes of the model, in the order of its outputs: outside, begins, inside for each. */
export const LABELS = [...ENTITY_TYPES, 'quantity', ...QUANTITY_ROLES] as const;
export type Label = (typeof LABELS)[number];

/** A stretch with its label and how sure the model is of its least sure token, from 0 to 1. */
export interface Labelled<L extends Label = Label> extends Stretch {
  readonly label: L;
  readonly sure: number;
}

const [OUTSIDE, BEGINS, INSIDE] = [0, 1, 2];

/** The stretches of one label: `numbers` has three numbers for each label for each token. */
export function stretchesOf<L extends Label>(
  label: L,
  { tokens, numbers }: { readonly tokens: readonly Stretch[]; readonly numbers: Float32Array },
): Labelled<L>[] {
  const found: Labelled<L>[] = [];
  let open: { start: number; end: number; sure: number } | undefined;
  const close = (): void => {
    if (open) found.push({ label, ...open });
    open = undefined;
  };
  for (const [at, token] of tokens.entries()) {
    const from = (at * LABELS.length + LABELS.indexOf(label)) * 3;
    const shares = softmax(numbers.subarray(from, from + 3));
    const best = shares.indexOf(Math.max(...shares));
    const sure = 1 - (shares[OUTSIDE] ?? 1);
    // The pieces of a word have one place: the word goes to what its first piece belongs to.
    const isSameWord = at > 0 && tokens[at - 1]?.start === token.start;
    if (best === OUTSIDE) {
      if (!isSameWord) close();
    } else if (open && (best === INSIDE || isSameWord))
      open = { ...open, end: token.end, sure: Math.min(open.sure, sure) };
    else if (best === BEGINS || best === INSIDE) {
      close();
      if (!isSameWord) open = { ...token, sure };
    }
  }
  close();
  return found;
}

export function softmax(numbers: Float32Array): number[] {
  const most = Math.max(...numbers);
  const raised = [...numbers].map((each) => Math.exp(each - most));
  const sum = raised.reduce((total, each) => total + each, 0);
  return raised.map((each) => each / sum);
}
