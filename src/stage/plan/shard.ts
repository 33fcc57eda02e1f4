import { hash } from 'node:crypto';

import { AppError } from '../../base/index.ts';
import type { StageOptions } from '../types.ts';

/** Reads `i/n`, counted from 1. */
export function parseShard(text: string): StageOptions['shard'] {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim());
  const index = Number(match?.[1] ?? 0);
  const count = Number(match?.[2] ?? 0);
  if (index < 1 || index > count) {
    throw new AppError('USAGE_SHARD', `"${text}" is not a shard`, {
      hint: 'use i/n with i from 1 to n, for example 2/4',
    });
  }
  return { index, count };
}

/** Whether an item belongs to the shard. By its id alone, so that an item stays where it is when the plan grows. */
export function inShard(itemId: string, shard: StageOptions['shard']): boolean {
  if (shard.count === 1) return true;
  return hash('sha256', itemId, 'buffer').readUInt32BE(0) % shard.count === shard.index - 1;
}
