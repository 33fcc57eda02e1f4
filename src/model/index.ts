export { AnswerStore } from './answer-store.ts';
export type { ModelAnswer } from './answer-store.ts';
export { jsonIn, ModelServer, tokensOf } from './model-server.ts';
export type { ModelPrompt, ModelSettings } from './model-server.ts';
export { openModelClient } from './open-model-client.ts';
