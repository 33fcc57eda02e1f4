const SAMPLES = 64;
const LONGEST_LEAD_MS = 250;

/**
 * What the database server's clock says. When an answer arrives, the moment it names is past: the answer that came back
 * quickest says best how far that clock is ahead, and none can say too much, so that no turn is ever used too early.
 */
export class ServerClock {
  #samples: readonly { readonly roundMs: number; readonly leastAheadMs: number }[] = [];
  #aheadMs = 0;
  /** A turn is reserved as far ahead as answers take to come, so that it is not past when its answer arrives. */
  leadMs = 50;

  /** An answer came, of which the server said the moment. */
  sample(serverMs: number | undefined, sentAt: number, receivedAt = performance.now()): void {
    if (serverMs === undefined) return;
    this.#samples = [
      ...this.#samples.slice(1 - SAMPLES),
      { roundMs: receivedAt - sentAt, leastAheadMs: serverMs - receivedAt },
    ];
    this.#aheadMs = Math.max(...this.#samples.map(({ leastAheadMs }) => leastAheadMs));
    const slowest = Math.max(...this.#samples.slice(-4).map(({ roundMs }) => roundMs));
    this.leadMs = Math.min(LONGEST_LEAD_MS, 2 * slowest + 5);
  }

  /** Real milliseconds from now to a moment of the server's. */
  untilMs(serverMs: number, now = performance.now()): number {
    return serverMs - this.#aheadMs - now;
  }
}
