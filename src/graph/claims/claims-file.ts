import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { EdgeStatement, NodeStatement } from '../contribution.ts';
import type { DropReason } from './check-claims.ts';

/** What became of the passages of a document. */
export interface ClaimAccount {
  readonly passages: number;
  /** Answers that were kept from an earlier time. */
  readonly known: number;
  readonly asked: number;
  /** Answers that were not what was asked for, twice. */
  readonly unreadable: number;
  readonly claims: number;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The claims of a document, as its file keeps them. */
export interface ClaimsFile {
  /** Of the blocks they were read out of: with other blocks they are not used. */
  readonly blocksSha256: string;
  readonly account: ClaimAccount;
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
}

/** Where the claims of a document stand. */
export function claimsPath(dataRoot: string, document: string): string {
  return join(dataRoot, 'GraphClaims', `${document}.json`);
}

/** The claims of a document; undefined where nobody has asked for them. */
export async function readClaimsFile(path: string): Promise<ClaimsFile | undefined> {
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as ClaimsFile) : undefined;
}
