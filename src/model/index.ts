export { AnswerStore } from './answer-store.ts';
export {
  askModel,
  Budget,
  findModelServers,
  listIn,
  listPrompt,
  listSchema,
  LOCAL_MODEL_SERVERS,
  ModelServer,
  openModelClient,
  promptTokens,
} from './model-server.ts';
export type { AnswerWriter, ModelPrices, ModelPrompt, ModelSettings } from './model-server.ts';
