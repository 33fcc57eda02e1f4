export { AnswerStore } from './answer-store.ts';
export {
  askModel,
  Budget,
  findModelServers,
  listPrompt,
  listSchema,
  LOCAL_MODEL_SERVERS,
  ModelServer,
  objectSchema,
  openModelClient,
  promptTokens,
} from './model-server.ts';
export type { AnswerWriter, ModelPrices, ModelPrompt, ModelSettings, ParameterVerdicts } from './model-server.ts';
export { listIn, readLists } from './read-lists.ts';
