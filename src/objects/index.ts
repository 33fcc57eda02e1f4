export type { ObjectId, ObjectStore } from './folder-store.ts';
export { openObjects } from './open-store.ts';
