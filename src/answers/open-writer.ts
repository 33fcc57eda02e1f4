import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Corpus } from '../corpus/index.ts';
import { modelClient, modelPrices, modelSettings } from '../corpus/index.ts';
import { AnswerStore, Budget, ModelServer } from '../model/index.ts';
import type { AnswerWriter } from './ask-model.ts';

/** The model of the settings, with what it may spend; undefined where none is named. It is closed with the stack. */
export function openWriter(
  { folder, config }: Pick<Corpus, 'folder' | 'config'>,
  opened: AsyncDisposableStack,
): (AnswerWriter & { readonly budget: Budget }) | undefined {
  const settings = modelSettings(config);
  const { url, model, maxTokens } = settings;
  if (url === '' && model === '') return undefined;
  if (url === '' || model === '')
    throw new AppError('CONFIG_MODEL', 'a model needs its name and the address of its server', {
      hint: 'set model.url (up to /v1) and model.name, or --model-url and --model',
    });
  const prices = modelPrices(config);
  if (prices.budgetUsd > 0 && prices.usdPerMillionInput + prices.usdPerMillionOutput === 0)
    throw new AppError('CONFIG_MODEL', 'there is a budget in dollars, but nothing says what the server charges', {
      hint: 'set model.usd_per_million_input and model.usd_per_million_output, or model.budget_tokens',
    });
  const client = opened.use(modelClient(config));
  return {
    name: model,
    server: new ModelServer(settings, client.send),
    answers: opened.use(new AnswerStore(join(folder, 'state', 'answers.sqlite'))),
    maxTokens,
    budget: new Budget(prices),
  };
}
