import type { QueueAdmin } from '../queue/index.ts';
import type { Work } from '../works/index.ts';
import { workFromPayload } from '../works/index.ts';

/** A work whose job the queue ended without running its handler. */
export interface GivenUp {
  readonly work: Work;
  readonly outcome: 'failed' | 'skipped';
  readonly detail: string;
}

const PAGE = 500;

/** How the queue ends jobs without their handler: by losing too many workers, or by command. */
const ENDS = [
  { errorCode: 'PROCESS_DIED', state: 'error', outcome: 'failed' },
  { errorCode: 'CANCELLED', state: 'skipped', outcome: 'skipped' },
] as const;

/** The works the queue gave up. */
export async function* givenUpWorks(admin: QueueAdmin): AsyncGenerator<GivenUp> {
  for (const { errorCode, state, outcome } of ENDS) {
    for (let after = 0; ;) {
      const jobs = await admin.list({ states: [state], errorCode }, { limit: PAGE, after });
      for (const { artifactId, artifactJson, lastError } of jobs)
        yield { work: workFromPayload(artifactId, parsed(artifactJson)), outcome, detail: lastError ?? errorCode };
      if (jobs.length < PAGE) break;
      after = jobs.at(-1)?.id ?? Infinity;
    }
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // An unreadable payload: only the job's id is known.
    return undefined;
  }
}
