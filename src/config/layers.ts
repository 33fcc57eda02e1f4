export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: string;
}

/** The settings of one place (a file, a profile, the environment, the command line). */
export type Layer = readonly Setting[];

/** A nested object as settings, one per leaf; empty objects are leaves too. */
export function flatten(value: unknown, origin: string, path: readonly string[] = []): Setting[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return path.length === 0 ? [] : [{ path, value, origin }];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, origin, [...path, key]));
}

/** Settings made in code; undefined values are omitted. */
export function settingsLayer(settings: object, origin: string): Layer {
  return flatten(settings, origin).filter(({ value }) => value !== undefined);
}

/** The last layer to set a path wins; setting a whole section replaces its parts. */
export function merge(layers: readonly Layer[]): {
  readonly value: unknown;
  readonly settings: ReadonlyMap<string, Setting>;
} {
  const settings = new Map<string, Setting>();
  for (const setting of layers.flat()) {
    const key = setting.path.join('.');
    for (const known of settings.keys()) {
      if (known.startsWith(`${key}.`) || key.startsWith(`${known}.`)) settings.delete(known);
    }
    settings.set(key, setting);
  }
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { path, value } of settings.values()) assign(root, path, value);
  return { value: root, settings };
}

function assign(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    if (!isRecord(at[key])) at[key] = Object.create(null);
    at = at[key] as Record<string, unknown>;
  }
  at[path.at(-1) ?? ''] = value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Secrets only as set or not, addresses without their passwords. */
export function printable(value: unknown, secret: boolean): string {
  return secret && value !== '' ? '(set)' : withoutPasswords(JSON.stringify(value) ?? 'undefined');
}

/** Names of parameters in addresses whose values are secrets. */
const SECRET_PARAMETER = /password|secret|token|key|signature|auth/i;

export function withoutPasswords(text: string): string {
  return text
    .replaceAll(/:\/\/([^\s/:@]*:)?[^\s/]*@/g, '://$1***@')
    .replaceAll(/([?&])([^\s=&?"#]+)=[^\s&"#]*/g, (whole, mark: string, name: string) =>
      SECRET_PARAMETER.test(name) ? `${mark}${name}=***` : whole,
    );
}
