import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { parseMany } from '../../test/support/parse-many.ts';

// npm run hostile:pdf: parses every hostile PDF in child processes with a deadline; exits with 1 if one crashes or
// hangs.
const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'hostile', 'open', 'pdf');
if (!existsSync(folder)) {
  console.error(`HOSTILE FILES NOT FOUND: ${folder}`);
  process.exit(2);
}
const results = await parseMany(
  readdirSync(folder)
    .sort()
    .map((file) => join(folder, file)),
  { deadlineMs: 120_000, maxMemoryBytes: 512 * 1024 * 1024, children: availableParallelism() },
);
const counts = new Map<string, number>();
for (const result of results) counts.set(result.code, (counts.get(result.code) ?? 0) + 1);
for (const result of results) {
  const slow = 'ms' in result && (result.ms > 5_000 || result.peakMegabytes > 900);
  if (slow || !/^(?:ok|PDF_)/.test(result.code))
    console.log(basename(result.file), JSON.stringify({ ...result, file: undefined }));
}
console.log(`${results.length} files: ${[...counts].map(([code, count]) => `${code} ${count}`).join(', ')}`);
process.exit(results.some((result) => !/^(?:ok|PDF_)/.test(result.code)) ? 1 : 0);
