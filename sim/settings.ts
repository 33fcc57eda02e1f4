import { SIM_KEYS } from './server/run-state.ts';
import type { Simulation } from './server/simulation.ts';
import { NOWHERE } from './world/hosts.ts';
import { SUFFIX } from './world/identifiers.ts';

/** Settings that point a client at the simulated web. */
export interface ClientSettings {
  /**
   * DNS mapping for names ending in `suffix`; `exceptions` resolve elsewhere, like an attacker's, or not at all
   * (`none`).
   */
  readonly dns: {
    readonly suffix: string;
    readonly address: string;
    readonly exceptions: Readonly<Record<string, string>>;
  };
  /** The only private addresses that the SSRF guard may allow. */
  readonly allowedAddresses: readonly string[];
  readonly keys: Readonly<Record<string, string>>;
  /** Real seconds per simulated second; clients scale every wait, rate and timeout by it. */
  readonly timeScale: number;
  readonly scheme: 'http';
}

export function clientSettings(simulation: Simulation): ClientSettings {
  const address = `127.0.0.1:${simulation.port}`;
  return {
    dns: {
      suffix: SUFFIX,
      address,
      exceptions: { [`rebind${SUFFIX}`]: `127.0.0.1:${simulation.canaries.v4}`, [`*${NOWHERE}`]: 'none' },
    },
    allowedAddresses: [address],
    keys: SIM_KEYS,
    timeScale: simulation.timeScale,
    scheme: 'http',
  };
}
