// Is this tag the version of package.json, and does CHANGELOG.md tell of it? `--notes` prints what it tells.
// usage: node scripts/release-check.ts v1.0.0 [--notes]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** What the changelog says of a version, without its heading; undefined if it says nothing, or calls it unreleased. */
export function notesOf(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const own = sections.find((section) => section.split('\n')[0]?.trim() === version);
  return own?.split('\n').slice(1).join('\n').trim() || undefined;
}

if (import.meta.main) {
  const [tag = '', flag] = process.argv.slice(2);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const notes = notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  const fault =
    tag !== `v${version}`
      ? `the tag is ${tag || 'missing'}, but package.json has ${version}`
      : notes === undefined
        ? `CHANGELOG.md has no section "## ${version}"`
        : undefined;
  if (fault !== undefined) {
    console.error(fault);
    process.exitCode = 1;
  } else if (flag === '--notes') console.log(notes);
}
