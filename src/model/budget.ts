import type { ModelAnswer } from './answer-store.ts';

/** What tokens cost, and how much may be spent; 0 means that nobody has said. */
export interface ModelPrices {
  readonly usdPerMillionInput: number;
  readonly usdPerMillionOutput: number;
  readonly budgetUsd: number;
  readonly budgetTokens: number;
}

/** Money spent and tokens used so far; before every request what it may take at most is set aside, if there is room for it. */
export class Budget {
  readonly #prices: ModelPrices;
  inputTokens = 0;
  outputTokens = 0;
  #asideInput = 0;
  #asideOutput = 0;

  constructor(prices: ModelPrices) {
    this.#prices = prices;
  }

  /** What so many tokens cost; null where prices are not set. */
  usd(inputTokens = this.inputTokens, outputTokens = this.outputTokens): number | null {
    const { usdPerMillionInput, usdPerMillionOutput } = this.#prices;
    if (usdPerMillionInput === 0 && usdPerMillionOutput === 0) return null;
    return (inputTokens * usdPerMillionInput + outputTokens * usdPerMillionOutput) / 1e6;
  }

  /** Sets so many tokens aside until disposed of; undefined when that would be more than may be spent. */
  setAside(inputTokens: number, outputTokens: number): Disposable | undefined {
    const { budgetUsd, budgetTokens } = this.#prices;
    const input = this.inputTokens + this.#asideInput + inputTokens;
    const output = this.outputTokens + this.#asideOutput + outputTokens;
    if (budgetTokens > 0 && input + output > budgetTokens) return undefined;
    if (budgetUsd > 0 && (this.usd(input, output) ?? 0) > budgetUsd) return undefined;
    this.#asideInput += inputTokens;
    this.#asideOutput += outputTokens;
    return {
      [Symbol.dispose]: () => {
        this.#asideInput -= inputTokens;
        this.#asideOutput -= outputTokens;
      },
    };
  }

  spend({ inputTokens, outputTokens }: Pick<ModelAnswer, 'inputTokens' | 'outputTokens'>): void {
    this.inputTokens += inputTokens;
    this.outputTokens += outputTokens;
  }
}
