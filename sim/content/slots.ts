import type { Voice } from './prose/index.ts';
import type { Stream } from './random.ts';

/** Slot values; one set per paragraph, so that its sentences are about the same things. */
export type Slots = Readonly<Record<string, string>>;

/** Draws slot values: `{material}` and `{material2}` always differ. */
export function drawSlots(lexicon: Voice['lexicon'], random: Stream): Slots {
  const two = (items: readonly string[]): [string, string] => {
    const [first = '', second = first] = random.shuffle(items);
    return [first, second];
  };
  const [material, material2] = two(lexicon.materials);
  const [factor, factor2] = two(lexicon.factors);
  const [property, property2] = two(lexicon.properties);
  const [method, method2] = two(lexicon.methods);
  return {
    systems: random.pick(lexicon.systems),
    material,
    material2,
    factor,
    factor2,
    property,
    property2,
    method,
    method2,
    problem: random.pick(lexicon.problems),
    mechanism: random.pick(lexicon.mechanisms),
  };
}

/** Fills a template; slots without a value are kept. */
export function fillSlots(template: string, slots: Slots): string {
  return capitalise(template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole));
}

/** Names such as `dCas9` keep their lower-case letter. */
function capitalise(text: string): string {
  return /^\p{Ll}[\p{Ll}’-]*(?=[\s,;:.!?]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** A noun without its article, for table heads and keywords. */
export function bareNoun(noun: string): string {
  return capitalise(noun.replace(/^(?:(?:the|an?|die|der|das|le|la|les|el|los|las|un|une|una)\s|l’)/i, ''));
}
