'use strict';
// Read by any Node from 18 on: what the package itself is made of would fail on an old one with words that help nobody.
const MAJOR = 24;
const MINOR = 12;

/** Throws where the running Node is too old for the package. */
module.exports = function needsNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return;
  const error = new Error(`docstokg needs Node ${MAJOR}.${MINOR} or newer, and this is Node ${process.versions.node}`);
  error.code = 'NODE_TOO_OLD';
  error.stack = `${error.code}: ${error.message}`;
  throw error;
};
