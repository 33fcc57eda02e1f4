import type { Config } from '../config/index.ts';
import type { ModelPrices, ModelSettings } from '../model/index.ts';
import { openModelClient } from '../model/index.ts';

/** The client for the model server of the settings. To be disposed of. */
export function modelClient({ claims, http }: Config, url = claims.url): ReturnType<typeof openModelClient> {
  return openModelClient(url, {
    contact: http.contact,
    proxy: { http: http.http_proxy, https: http.https_proxy, no: http.no_proxy },
    concurrency: claims.concurrency,
    perSecond: claims.per_second,
    timeoutMs: claims.timeout_s * 1_000,
    retries: claims.retries,
    longestWaitMs: claims.longest_wait_s * 1_000,
  });
}

/** The model of the settings. */
export function modelSettings({ claims, keys }: Config): ModelSettings {
  return { url: claims.url, model: claims.model, apiKey: keys.claims, maxTokens: claims.max_tokens };
}

/** What the model of the settings costs, and how much may be spent. */
export function modelPrices({ claims }: Config): ModelPrices {
  return {
    usdPerMillionInput: claims.usd_per_million_input,
    usdPerMillionOutput: claims.usd_per_million_output,
    budgetUsd: claims.budget_usd,
    budgetTokens: claims.budget_tokens,
  };
}
