/** URL of a licence text; undefined if it has none. */
export function licenseUrl(license: string | undefined): string | undefined {
  if (license === undefined) return undefined;
  const name = license.toLowerCase();
  if (name === 'cc0' || name === 'public-domain') return 'https://creativecommons.org/publicdomain/zero/1.0/';
  const kind = /^cc-(by(?:-nc)?(?:-nd|-sa)?)$/.exec(name)?.[1];
  return kind ? `https://creativecommons.org/licenses/${kind}/4.0/` : undefined;
}
