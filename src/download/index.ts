export { REASONS } from './reasons.ts';
export type { Reason } from './reasons.ts';
export { reasonOfResult, reasonOfStatus } from './http-reason.ts';
export { wallOf } from './wall.ts';
export type { PageFacts } from './wall.ts';
export { kindOf, Sniffer } from './sniffer.ts';
export type { BodyKind, Sniffed } from './sniffer.ts';
