import type { DnsMapping } from '../http/index.ts';

/** `{"*.sim.test": "127.0.0.1:8080"}`; a name that leads where nobody may go is still refused when it is reached. */
export function dnsMappings(map: Readonly<Record<string, string>>, allow: readonly string[]): DnsMapping[] {
  return Object.entries(map).map(([pattern, target]) => {
    if (target === 'none') return { pattern, address: target };
    const at = target.lastIndexOf(':');
    const port = Number(target.slice(at + 1));
    return { pattern, address: target.slice(0, at), port, trusted: allow.includes(target) };
  });
}
