'use strict';
// Starts the program on a Node that can run it. Written for Node 18 so that an old one can read it: where the running
// Node is too old, the package's own Node 24 takes over, in the same process where that is possible.
const { spawn } = require('node:child_process');
const { existsSync, readlinkSync } = require('node:fs');
const { join, basename } = require('node:path');

const MAJOR = 24;
const MINOR = 12;
/** The descriptor at which the first process listens to the second, if there are two. */
const LAUNCHED = 'DOCSTOKG_LAUNCHER_FD';
const LIFELINE = 3;
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Signals that reach the two processes within this time are one signal; a busy machine takes seconds. */
const SAME_SIGNAL_MS = 10_000;

/**
 * `here` runs the program in this process, `replace` replaces it with the right Node, `child` starts that as a child, for
 * platforms and versions that cannot replace a process.
 */
module.exports = function launch(door, way = wayHere()) {
  const root = join(__dirname, '..');
  if (way === 'here') return runHere(root, door);
  const own = ownNode(root);
  if (!own) {
    console.error(
      `${door}: Node ${process.versions.node} is too old; install Node ${MAJOR}.${MINOR} or newer (in a clone: npm ci)`,
    );
    process.exitCode = 1;
    return;
  }
  const parameters = [join(__dirname, door), ...process.argv.slice(2)];
  if (way === 'replace') process.execve(own, [own, ...parameters], process.env);
  else runBeside(own, parameters);
};

function wayHere() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return 'here';
  return typeof process.execve === 'function' && process.platform !== 'win32' ? 'replace' : 'child';
}

function runHere(root, door) {
  // The version needs nothing of the program.
  if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) {
    console.log(require('../package.json').version);
    return;
  }
  if (isNohup()) ignoreHangUp();
  if (process.env[LAUNCHED] !== undefined) holdOnTo(Number(process.env[LAUNCHED]));
  // After `holdOnTo`: the first listener of a signal fixes which `emit` delivers it.
  endAtSignals();
  delete process.env[LAUNCHED];
  // Short commands should not spend their time compiling.
  require('node:module').enableCompileCache();
  const source = join(root, 'src', 'cli', 'main.ts');
  const main = existsSync(source) ? source : join(root, 'dist', 'src', 'cli', 'main.js');
  import('node:url')
    .then(({ pathToFileURL }) => import(`${pathToFileURL(main).href}?door=${door}`))
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
}

/**
 * Ends at a signal that no command handles. Process 1 of a container has no default action for signals: one that comes
 * before a handler is installed, or in a command without one, would be lost.
 */
function endAtSignals() {
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    const end = () => {
      if (process.listeners(name).every((listener) => listener === end)) process.exit(code);
    };
    process.on(name, end);
  }
}

/**
 * Two processes that look like one. The second has its own session, so that signals of the terminal reach it once,
 * through the first. It ends with the first, however that ends, because the pipe between them breaks.
 */
function runBeside(own, parameters) {
  const child = spawn(own, parameters, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    detached: process.platform !== 'win32',
    env: { ...process.env, [LAUNCHED]: String(LIFELINE) },
  });
  const line = child.stdio[LIFELINE];
  line.on('error', () => undefined);
  const nohup = isNohup();
  for (const signal of STOPS)
    process.on(signal, () => {
      // On Windows the console signals both; elsewhere the second process notices whether it was signalled too.
      if (process.platform !== 'win32' && !(nohup && signal === 'SIGHUP')) line.write(`${signal}\n`);
    });
  if (process.platform !== 'win32') {
    process.on('SIGWINCH', () => child.kill('SIGWINCH'));
    process.on('SIGCONT', () => child.kill('SIGCONT'));
    process.on('SIGTSTP', () => {
      child.kill('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
  }
  child.on('error', (error) => {
    console.error(`${own} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** In the second process: signals come through the pipe, and when it breaks the process ends. */
function holdOnTo(descriptor) {
  const { Socket } = require('node:net');
  const line = new Socket({ fd: descriptor, readable: true, writable: false });
  const direct = new Pairs();
  const passedOn = new Pairs();
  const emit = process.emit;
  const isKnown = (name) => {
    if (passedOn.take(name)) return true;
    direct.add(name);
    return false;
  };
  process.emit = function (name, ...rest) {
    // Sent to both processes, as systemd does: the later one is the same signal.
    if (STOPS.includes(name) && isKnown(name)) return true;
    return emit.call(this, name, ...rest);
  };
  line.on('data', (bytes) => {
    for (const name of bytes.toString().split('\n').filter(Boolean)) {
      if (direct.take(name)) continue;
      passedOn.add(name);
      if (process.listenerCount(name) > 0) emit.call(process, name, name);
      else process.kill(process.pid, name);
    }
  });
  line.on('error', () => undefined);
  line.on('close', () => process.kill(process.pid, 'SIGKILL'));
  line.unref();
}

/** Signals that came one way and may still come the other way. */
class Pairs {
  constructor() {
    this.moments = new Map();
  }

  add(name) {
    this.moments.set(name, [...(this.moments.get(name) ?? []), Date.now()]);
  }

  /** True if a signal of that name came recently; each counts once. */
  take(name) {
    const recent = (this.moments.get(name) ?? []).filter((at) => Date.now() - at < SAME_SIGNAL_MS);
    const [first, ...others] = recent;
    this.moments.set(name, others);
    return first !== undefined;
  }
}

/** Node does not keep nohup's setting to ignore SIGHUP; its name in the environment or its output file reveals it. */
function isNohup() {
  if (basename(process.env._ ?? '') === 'nohup') return true;
  try {
    return basename(readlinkSync('/proc/self/fd/1')) === 'nohup.out';
  } catch {
    return false;
  }
}

function ignoreHangUp() {
  const emit = process.emit;
  process.emit = function (name, ...rest) {
    return name === 'SIGHUP' ? true : emit.call(this, name, ...rest);
  };
  // Last: the first listener fixes which `emit` delivers a signal.
  process.on('SIGHUP', () => undefined);
}

function ownNode(root) {
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}/bin/node${isWindows ? '.exe' : ''}`;
  try {
    return require.resolve(name, { paths: [root] });
  } catch {
    return undefined;
  }
}
