import type { questions } from '../content/index.ts';
import { questions as questionsOf, writePaper } from '../content/index.ts';
import { paperSpec } from '../server/paper-spec.ts';
import type { World } from '../world/world.ts';

/** The questions that the documents of a world answer, for all or selected works. */
export function* plantedQuestions(
  world: World,
  wanted?: ReadonlySet<string>,
): Generator<ReturnType<typeof questions>[number]> {
  for (let index = 0; index < world.size; index += 1)
    if (!wanted || wanted.has(world.work(index).id)) yield* questionsOf(writePaper(paperSpec(world, index)));
}
