import { AppError, errorInfo } from '../base/index.ts';
import type { Layer } from '../config/index.ts';
import { loopbackFetch } from '../http/index.ts';

/** The client settings of a simulated web. */
interface SimulatedWeb {
  readonly dns: {
    readonly suffix: string;
    readonly address: string;
    readonly exceptions: Readonly<Record<string, string>>;
  };
  readonly allowedAddresses: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
}

/** The settings of `--sim` and `--mailto`; a simulated web needs no contact address. */
export async function simulatedLayer(options: {
  readonly sim?: string | undefined;
  readonly mailto?: string | undefined;
}): Promise<Layer> {
  const { sim, mailto } = options;
  const isSimulated = sim !== undefined && sim !== '';
  const contact = mailto ?? (isSimulated ? 'simulated@docstokg.dev' : undefined);
  const origin = mailto === undefined ? 'option --sim' : 'option --mailto';
  return [
    ...(isSimulated ? await simulatedWebLayer(sim) : []),
    ...(contact === undefined ? [] : [{ path: ['http', 'contact'], value: contact, origin }]),
  ];
}

/** The settings of `--sim URL`: DNS entries, allowed addresses and keys. */
export async function simulatedWebLayer(url: string): Promise<Layer> {
  const origin = 'option --sim';
  const web = await describe(url);
  const settings: [string, unknown][] = [
    ['services.below', web.dns.suffix.replace(/^\./, '')],
    ['http.dns', { ...web.dns.exceptions, [`*${web.dns.suffix}`]: web.dns.address }],
    ['http.allow', web.allowedAddresses],
    ...Object.entries(web.keys).map(([name, key]): [string, unknown] => [`keys.${name}`, key]),
  ];
  return settings.map(([path, value]) => ({ path: path.split('.'), value, origin }));
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
