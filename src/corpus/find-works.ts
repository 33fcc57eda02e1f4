import type { Runtime, WorkPlans } from '../harvest/index.ts';
import { openAsking, wantedWorks } from '../harvest/index.ts';
import type { Work } from '../works/index.ts';
import type { WantedDocuments } from './gather-request.ts';
import { checkDocuments } from './gather-request.ts';

/** The requested works, as they are found. Downloads nothing and records nothing. */
export async function* findWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): AsyncGenerator<Work, void> {
  checkDocuments(documents);
  await using asking = openAsking(documents.config, runtime);
  yield* listed(documents, asking, runtime, signal);
}

/** The requested works with all their plans, in order. Downloads nothing and records nothing. */
export async function* findPlansOfWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): AsyncGenerator<WorkPlans, void> {
  checkDocuments(documents);
  await using asking = openAsking(documents.config, runtime);
  const ahead: Promise<WorkPlans>[] = [];
  try {
    for await (const work of listed(documents, asking, runtime, signal)) {
      const found = asking.plansOf(work, signal);
      // The consumer gets the rejection later; until then it must not count as unhandled.
      found.catch(() => undefined);
      ahead.push(found);
      const first = ahead.length >= documents.config.orchestrator.max_workers ? ahead.shift() : undefined;
      if (first) yield await first;
    }
    for (const found of ahead.splice(0)) yield await found;
  } finally {
    await Promise.allSettled(ahead);
  }
}

function listed(
  { ids, wanted }: WantedDocuments,
  asking: ReturnType<typeof openAsking>,
  runtime: Runtime,
  signal: AbortSignal,
): AsyncGenerator<Work> {
  const tell = (message: string): void => runtime.log('info', message);
  const { clock } = runtime;
  const parts = { ...asking, records: undefined, clock, statePath: undefined };
  return wantedWorks(ids, wanted, { ...parts, signal, tell });
}
