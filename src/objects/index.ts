export type { ObjectId, ObjectStore } from './object-store.ts';
export { openObjects } from './open-store.ts';
