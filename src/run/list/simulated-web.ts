import { AppError, errorInfo } from '../../base/index.ts';
import type { Layer } from '../../config/index.ts';
import { settingsLayer } from '../../config/index.ts';
import { loopbackFetch } from '../../http/index.ts';

interface SimulatedWeb {
  readonly dns: {
    readonly suffix: string;
    readonly address: string;
    readonly exceptions: Readonly<Record<string, string>>;
  };
  readonly allowedAddresses: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
}

/** The contact address of requests to a simulated web: no person's. */
export const SIMULATED_CONTACT = 'simulated@docstokg.dev';

export async function simulatedLayer(options: {
  readonly sim?: string | undefined;
  readonly mailto?: string | undefined;
}): Promise<Layer> {
  const { sim = '', mailto } = options;
  const contact = settingsLayer({ http: { contact: mailto } }, 'option --mailto');
  if (sim === '') return contact;
  const { dns, allowedAddresses: allow, keys } = await describe(sim);
  const origin = 'option --sim';
  const http = { allow, contact: SIMULATED_CONTACT };
  return [
    ...settingsLayer({ services: { below: dns.suffix.replace(/^\./, '') }, http, keys }, origin),
    { path: ['http', 'dns'], value: { ...dns.exceptions, [`*${dns.suffix}`]: dns.address }, origin },
    ...contact,
  ];
}

async function describe(url: string): Promise<SimulatedWeb> {
  try {
    const answer = await loopbackFetch(new URL('/__sim/world', url));
    return ((await answer.json()) as { readonly client: SimulatedWeb }).client;
  } catch (error) {
    throw new AppError('SIM_UNREACHABLE', `no simulated web found at ${url}: ${errorInfo(error).message}`, {
      hint: 'start one with docstokg sim serve and use the URL it prints as "sim"',
      cause: error,
    });
  }
}
