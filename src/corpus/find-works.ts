import type { Runtime, WorkPlans } from '../harvest/index.ts';
import { openAsking, wantedWorks } from '../harvest/index.ts';
import type { Work } from '../works/index.ts';
import type { WantedDocuments } from './gather-request.ts';
import { checkDocuments } from './gather-request.ts';

/** The works that are wanted, as they are found. Nothing is fetched, and nothing is written down. */
export async function* findWorks(
  documents: WantedDocuments,
  runtime: Runtime,
  signal: AbortSignal,
): AsyncGenerator<Work, void> {
  checkDocuments(documents);
  await using asking = openAsking(documents.config, runtime);
  yield* listed(documents, asking, runtime, signal);
}

/** The works that are wanted with every plan for them, in the order of the works. No file is fetched, and nothing is written down. */
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
      // Whoever waits for the first of them hears of it; the others must not end the process meanwhile.
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
