import { hash } from 'node:crypto';

/** The short name under which a node is stored: 66 bits of its id's hash, always the same for the same id. */
export function nodeKey(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 11);
}
