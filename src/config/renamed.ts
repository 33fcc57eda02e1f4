import type { Layer } from './layers.ts';

/** Former names of keys, and the factor from the old unit to the new one. */
const RENAMED: Readonly<Record<string, { readonly now: string; readonly times?: number }>> = {
  'http.retry_base': { now: 'http.retry_base_s' },
  'http.park_after': { now: 'http.park_after_s' },
  'http.longest_line': { now: 'http.longest_line_s' },
  'http.give_up_after': { now: 'http.give_up_after_s' },
  'http.circuit_seconds': { now: 'http.circuit_s' },
  'http.circuit_max_seconds': { now: 'http.circuit_max_s' },
  'http.robots_hours': { now: 'http.robots_s', times: 3600 },
  'http.robots_unreachable_seconds': { now: 'http.robots_unreachable_s' },
  'http.connect_seconds': { now: 'http.connect_s' },
  'http.headers_seconds': { now: 'http.headers_s' },
  'http.idle_seconds': { now: 'http.idle_s' },
  'http.total_seconds': { now: 'http.total_s' },
  'telemetry.otlp_interval_seconds': { now: 'telemetry.otlp_interval_s' },
};

/** A layer with the current names, and a warning for each former one. */
export function renamed(layer: Layer): { readonly layer: Layer; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const today = layer.map((setting) => {
    const name = setting.path.join('.');
    const entry = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
    if (!entry) return setting;
    warnings.push(`${name} is called ${entry.now} now (${setting.origin})`);
    const number = Number(setting.value);
    const value = Number.isFinite(number) ? number * (entry.times ?? 1) : setting.value;
    return { ...setting, path: entry.now.split('.'), value };
  });
  return { layer: today, warnings };
}
