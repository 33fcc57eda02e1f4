import type { Config } from '../config/index.ts';
import type { ModelPrices, ModelSettings } from '../model/index.ts';
import { openModelClient } from '../model/index.ts';

/** The client of the configured model server. The caller disposes of it. */
export function modelClient({ model, http }: Config, url = model.url): ReturnType<typeof openModelClient> {
  return openModelClient(url, {
    contact: http.contact,
    proxy: { http: http.http_proxy, https: http.https_proxy, no: http.no_proxy },
    concurrency: model.concurrency,
    perSecond: model.per_second,
    timeoutMs: model.timeout_s * 1_000,
    retries: model.retries,
    longestWaitMs: 300_000,
  });
}

/** The configured model. */
export function modelSettings({ model, keys }: Config): ModelSettings {
  return { url: model.url, model: model.name, apiKey: keys.model, maxTokens: model.max_tokens };
}

/** The configured prices and budget of the model. */
export function modelPrices({ model }: Config): ModelPrices {
  return {
    usdPerMillionInput: model.usd_per_million_input,
    usdPerMillionOutput: model.usd_per_million_output,
    budgetUsd: model.budget_usd,
    budgetTokens: model.budget_tokens,
  };
}
