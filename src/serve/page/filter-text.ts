/** The filters of a list as they are typed: `oil year:2020-2022 author:"de Silva"`. */
export function filterText(filter: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(filter).flatMap(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [];
    if (name === 'q') return [value.replaceAll(/["“”]/g, '')];
    return [/\s/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`];
  });
  return parts.join(' ');
}
