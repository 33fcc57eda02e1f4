import type { questions } from '../content/index.ts';
import { questions as questionsOf, writePaper } from '../content/index.ts';
import { paperSpec } from '../server/paper-spec.ts';
import type { World } from '../world/world.ts';

/** The questions that the documents of a world answer, work by work. */
export function* plantedQuestions(world: World): Generator<ReturnType<typeof questions>[number]> {
  for (let index = 0; index < world.size; index += 1) yield* questionsOf(writePaper(paperSpec(world, index)));
}
