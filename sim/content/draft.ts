import { stripMarks } from './inline.ts';
import type { PaperSpec } from './paper.ts';
import { voiceFor } from './prose/index.ts';
import { stream } from './random.ts';
import { drawSlots, fillSlots } from './slots.ts';

/** A plausible title for a work on a topic. */
export function draftTitle({ seed, topic, language }: Pick<PaperSpec, 'seed' | 'topic' | 'language'>): string {
  const voice = voiceFor(language, topic);
  const random = stream('title', seed);
  return stripMarks(fillSlots(random.pick(voice.titles), drawSlots(voice.lexicon, random)));
}

/** A plausible abstract. */
export function draftAbstract({ seed, topic, language }: Pick<PaperSpec, 'seed' | 'topic' | 'language'>): string {
  const voice = voiceFor(language, topic);
  const slots = drawSlots(voice.lexicon, stream('abstract', seed));
  return stripMarks(voice.grammar.abstracts.map((sentence) => fillSlots(sentence, slots)).join(' '));
}
