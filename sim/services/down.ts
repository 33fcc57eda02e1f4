import { text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import type { WorldParameters } from '../world/types.ts';

/** Services that can be down; all are queried only by DOI. */
const MAY_BE_AWAY = ['api.core.ac.uk.sim.test', 'doaj.org.sim.test', 'api.archives-ouvertes.fr.sim.test'] as const;
const DAY_SECONDS = 86_400;

/**
 * The service that is down all day, in one of four `reality` worlds; null in the others. Responds with 503 and
 * Retry-After (RFC 9110, 15.6.4).
 */
export function downHost({ profile, seed }: Pick<WorldParameters, 'profile' | 'seed'>): string | null {
  if (profile !== 'reality' || seed % 4 !== 0) return null;
  return MAY_BE_AWAY[(seed / 4) % MAY_BE_AWAY.length] ?? null;
}

export function downPage(): Reply {
  return text(
    '<html><head><title>Scheduled maintenance</title></head><body>We will be back tomorrow.</body></html>',
    503,
    {
      'content-type': 'text/html',
      'retry-after': String(DAY_SECONDS),
    },
  );
}
