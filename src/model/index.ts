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
export { markedUp } from './marked-up.ts';
export { askSupport, dropReasonOf } from './support.ts';
export type { CaseVerdict, Support, WrittenCase } from './support.ts';
