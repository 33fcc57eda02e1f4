import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { installCommand } from './install-command.ts';

test('the command to add a package fits how docstokg was installed, and names the version it works with', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'install-command-'));
  const install = (...path: string[]): string => {
    const root = join(scratch.path, ...path);
    mkdirSync(root, { recursive: true });
    const versions = {
      optionalDependencies: { a: '^7.2.1', b: '0.1.0' },
      peerDependencies: { c: '~1.30.0', d: '^0.20.2' },
    };
    writeFileSync(join(root, 'package.json'), JSON.stringify(versions));
    return root;
  };
  const everywhere = install('lib', 'node_modules', 'docstokg');
  assert.equal(installCommand(['a', 'b', 'other'], [], everywhere), 'npm install -g a@7 b@0.1.0 other');
  const clone = install('clone');
  assert.equal(installCommand(['c', 'd'], ['--ignore-scripts'], clone), 'npm install c@1.30 d@0.20 --ignore-scripts');
  install('project');
  assert.equal(installCommand(['c'], [], install('project', 'node_modules', 'docstokg')), 'npm install c@1.30');
});
