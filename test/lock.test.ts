import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const text = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8');
const packages = Object.entries((JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

test('every package of the lock file has an integrity hash', () => {
  assert.ok(packages.length > 100);
  const without = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  assert.deepEqual(
    without.map(([path]) => path),
    [],
    'npm leaves the hash out of packages it found in node_modules: remove them there and install again',
  );
});

test('the lock file names no registry', () => {
  assert.deepEqual(
    packages.filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('file:')),
    [],
  );
  assert.doesNotMatch(text, /https?:\/\/[^"]*\/-\//);
});
