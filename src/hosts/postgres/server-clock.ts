const SAMPLES = 64;
const LONGEST_LEAD_MS = 250;

/** What the database server's clock says, from the answers that came quickest: between sending and hearing lies its moment. */
export class ServerClock {
  #samples: readonly { readonly roundMs: number; readonly aheadMs: number }[] = [];
  #aheadMs = 0;
  /** A turn is reserved as far ahead as answers take to come, so that it is not past when it is heard of. */
  leadMs = 50;

  /** An answer came, of which the server said the moment. */
  heard(serverMs: number | undefined, sentAt: number): void {
    if (serverMs === undefined) return;
    const heardAt = performance.now();
    const sample = { roundMs: heardAt - sentAt, aheadMs: serverMs - (sentAt + heardAt) / 2 };
    this.#samples = [...this.#samples.slice(1 - SAMPLES), sample];
    this.#aheadMs = this.#samples.reduce((least, each) => (each.roundMs < least.roundMs ? each : least)).aheadMs;
    const slowest = Math.max(...this.#samples.slice(-4).map(({ roundMs }) => roundMs));
    this.leadMs = Math.min(LONGEST_LEAD_MS, 2 * slowest + 5);
  }

  /** Real milliseconds from now to a moment of the server's. */
  untilMs(serverMs: number): number {
    return serverMs - this.#aheadMs - performance.now();
  }
}
