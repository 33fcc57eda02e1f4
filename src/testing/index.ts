export { HeldClock } from './held-clock.ts';
