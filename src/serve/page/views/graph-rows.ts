/** What was found, before the works that only name it. */
export function ofKinds<Row extends { readonly kind: string }>(
  rows: readonly Row[],
): readonly (readonly [name: string, rows: readonly Row[]])[] {
  const {
    findings = [],
    works = [],
    names = [],
  } = Object.groupBy(rows, ({ kind }) => (kind === 'finding' ? 'findings' : kind === 'work' ? 'works' : 'names'));
  const isMixed = [findings, works, names].filter(({ length }) => length > 0).length > 1;
  if (!isMixed || findings.length === 0) return [['All', rows]];
  return (
    [
      ['Findings', findings],
      ['Works', works],
      ['Names', names],
    ] as const
  ).filter(([, of]) => of.length > 0);
}
