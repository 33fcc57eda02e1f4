import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { hasCode } from '../base/index.ts';

/** Of a token that a user chose. */
export const SHORTEST_TOKEN = 16;

/** The token of this user, made once, so that a link and a signed-in browser outlive the server. Only the user may read it. */
export function keptToken(path: string): string {
  const made = newToken();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Of two servers that start at once the first one's stays.
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    // Without a home folder, as in some containers, the token lasts as long as the server.
    if (!hasCode(error, 'EEXIST')) return made;
  }
  const kept = readFileSync(path, 'utf8').trim();
  const isPrivate = process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
  if (isPrivate && isToken(kept)) return kept;
  // Cut off, or readable by others.
  rmSync(path);
  return keptToken(path);
}

/** A token that nobody guesses. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Whether a text can be sent as a token and is hard enough to guess. */
export function isToken(token: string): boolean {
  return token.length >= SHORTEST_TOKEN && /^[\x21-\x7E]+$/.test(token);
}
