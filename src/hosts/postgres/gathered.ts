/** Asks the server at most once in a short while: what is asked meanwhile goes together, answered or failed by one call. */
export class Gathered<Q, A> {
  readonly #askAll: (questions: readonly Q[]) => Promise<readonly A[]>;
  readonly #gatherMs: number;
  #sentAt = -Infinity;
  #waiting: { readonly question: Q; readonly answer: PromiseWithResolvers<A> }[] = [];

  /** `askAll` answers each question at its place. */
  constructor(gatherMs: number, askAll: (questions: readonly Q[]) => Promise<readonly A[]>) {
    this.#gatherMs = gatherMs;
    this.#askAll = askAll;
  }

  ask(question: Q): Promise<A> {
    const answer = Promise.withResolvers<A>();
    this.#waiting.push({ question, answer });
    if (this.#waiting.length === 1)
      setTimeout(() => void this.#send(), Math.max(0, this.#sentAt + this.#gatherMs - performance.now()));
    return answer.promise;
  }

  async #send(): Promise<void> {
    this.#sentAt = performance.now();
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#askAll(group.map(({ question }) => question));
      group.forEach(({ answer }, at) => answer.resolve(answers[at] as A));
    } catch (error) {
      for (const { answer } of group) answer.reject(error);
    }
  }
}
