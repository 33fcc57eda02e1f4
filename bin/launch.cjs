'use strict';
// Starts the program on a Node that can run it. Written for Node 18 so that an old one can read it: where the running
// Node is too old, the package's own Node 24 takes over.
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const MAJOR = 24;
const MINOR = 12;

module.exports = function launch(door) {
  const root = join(__dirname, '..');
  const source = join(root, 'src', 'cli', 'main.ts');
  const main = existsSync(source) ? source : join(root, 'dist', 'src', 'cli', 'main.js');
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) {
    // Compiled code is kept between runs: a third of the time to the first answer of a search is compiling.
    require('node:module').enableCompileCache();
    import('node:url')
      .then(({ pathToFileURL }) => import(`${pathToFileURL(main).href}?door=${door}`))
      .catch((error) => {
        console.error(error);
        process.exitCode = 1;
      });
    return;
  }
  const own = ownNode(root);
  if (!own) {
    console.error(
      `${door}: Node ${process.versions.node} is too old; install Node ${MAJOR}.${MINOR} or newer (in a clone: npm ci)`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(own, [process.argv[1], ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to the child as well; a signal sent to this process alone is passed on.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};

function ownNode(root) {
  try {
    const path = require.resolve('node/bin/node', { paths: [root] });
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
