import { text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import type { WorldParameters } from '../world/types.ts';

/** Services that may be away, each with a DOI as the only thing it is asked by. */
const MAY_BE_AWAY = ['api.core.ac.uk.sim.test', 'doaj.org.sim.test', 'api.archives-ouvertes.fr.sim.test'] as const;
const DAY_SECONDS = 86_400;

/**
 * The service that is down for the whole day in one world of four that are like the real one; null in the others. Upkeep is
 * announced as RFC 9110 (15.6.4) has it: 503, and when to come back.
 */
export function downHost({ profile, seed }: Pick<WorldParameters, 'profile' | 'seed'>): string | null {
  if (profile !== 'reality' || seed % 4 !== 0) return null;
  return MAY_BE_AWAY[(seed / 4) % MAY_BE_AWAY.length] ?? null;
}

/** What it answers meanwhile: a page, not its own form. */
export function upkeep(): Reply {
  return text(
    '<html><head><title>Scheduled maintenance</title></head><body>We will be back tomorrow.</body></html>',
    503,
    {
      'content-type': 'text/html',
      'retry-after': String(DAY_SECONDS),
    },
  );
}
