/** Letters in a row that are looked up together. */
const GRAM = 9;
/** Of so many rows that follow each other the smallest is kept: any common stretch of GRAM + WINDOW - 1 letters meets. */
const WINDOW = 18;

/**
 * Fingerprints of a text by winnowing (Schleimer, Wilkerson, Aiken 2003): a few of its rows of letters, chosen such that
 * two texts with a long stretch in common share at least one, wherever it stands.
 */
export function fingerprints(letters: string): Set<string> {
  const rows = letters.length - GRAM + 1;
  const chosen = new Set<string>();
  if (rows < 1) return chosen;
  const hashes = new Uint32Array(rows);
  for (let at = 0; at < rows; at += 1) hashes[at] = hashOf(letters, at);
  const windows = Math.max(1, rows - WINDOW + 1);
  let last = -1;
  for (let start = 0; start < windows; start += 1) {
    let least = start;
    for (let at = start + 1; at < Math.min(rows, start + WINDOW); at += 1)
      if ((hashes[at] ?? 0) <= (hashes[least] ?? 0)) least = at;
    if (least !== last) chosen.add(letters.slice(least, least + GRAM));
    last = least;
  }
  return chosen;
}

/** FNV-1a over one row of letters. */
function hashOf(letters: string, from: number): number {
  let value = 0x81_1c_9d_c5;
  for (let at = from; at < from + GRAM; at += 1) value = Math.imul(value ^ letters.charCodeAt(at), 0x01_00_01_93);
  return value >>> 0;
}
