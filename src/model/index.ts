export { AnswerStore } from './answer-store.ts';
export {
  Budget,
  findModelServers,
  jsonIn,
  LOCAL_MODEL_SERVERS,
  ModelServer,
  openModelClient,
  tokensOf,
} from './model-server.ts';
export type { ModelPrices, ModelPrompt, ModelSettings, OpenText } from './model-server.ts';
