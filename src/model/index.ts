export { AnswerStore } from './answer-store.ts';
export { Budget } from './budget.ts';
export type { ModelPrices } from './budget.ts';
export { findModelServers, LOCAL_MODEL_SERVERS } from './find-servers.ts';
export { jsonIn, ModelServer, tokensOf } from './model-server.ts';
export type { ModelPrompt, ModelSettings, OpenText } from './model-server.ts';
export { openModelClient } from './open-model-client.ts';
