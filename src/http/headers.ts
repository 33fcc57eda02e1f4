import type { Headers } from './send.ts';

/** One value per lower-case header name. Cookies are left out: only the jar holds them. */
export function flattenHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const flat: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
