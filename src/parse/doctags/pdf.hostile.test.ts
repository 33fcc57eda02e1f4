import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../base/index.ts';
import { parseMany } from '../../../test/support/parse-many.ts';

const folder = join(packageRoot(), '..', 'shared', 'data', 'hostile', 'open', 'pdf');

test('hostile PDFs give a document or a coded error within the memory and time limits', async (context) => {
  if (!existsSync(folder)) {
    context.skip(`THE HOSTILE FILES ARE ABSENT: ${folder}`);
    return;
  }
  const files = readdirSync(folder).sort();
  // All malicious files, and a sample of the merely odd ones; scripts/verify/hostile-pdf.ts runs all.
  const chosen = files.filter((file, index) =>
    /^g\d/.test(file) ? !/^g8[0-9]/.test(file) || index % 4 === 0 : index % 24 === 0,
  );
  const results = await parseMany(
    chosen.map((file) => join(folder, file)),
    { deadlineMs: 240_000, maxMemoryBytes: 192 * 1024 * 1024, children: 2 },
  );
  assert.equal(results.length, chosen.length);
  for (const result of results) {
    assert.match(result.code, /^(?:ok|PDF_[A-Z_]+)$/, `${result.file}: ${JSON.stringify(result)}`);
    assert.ok(!('finite' in result) || result.finite, `${result.file} has a box that is no number`);
    assert.ok(
      !('peakMegabytes' in result) || result.peakMegabytes < 1_000,
      `${result.file} took ${JSON.stringify(result)}`,
    );
  }
  const codeOf = (name: string): string | undefined => results.find((result) => result.file.includes(name))?.code;
  assert.equal(codeOf('g00_control_good'), 'ok');
  assert.equal(codeOf('g11_many_pages'), 'PDF_TOO_MANY_PAGES');
  assert.equal(codeOf('g71_aes'), 'PDF_ENCRYPTED');
  assert.equal(codeOf('g73_html'), 'PDF_BROKEN');
});
