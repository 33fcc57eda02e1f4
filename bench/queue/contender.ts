/** Where a contender keeps its queue; every run gets a new name. */
export interface Place {
  readonly folder: string;
  readonly name: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
}

/** What is put in: about 250 bytes as JSON. */
export interface Payload {
  readonly id: string;
  readonly title: string;
  readonly doi: string;
  readonly year: number;
  readonly authors: readonly string[];
  readonly pdf: string;
  readonly license: string;
}

export interface Drained {
  readonly jobs: number;
  /** When the last job was settled, in the machine's wall clock (milliseconds, with fractions). */
  readonly lastAt: number;
}

/** A queue under test, as one process sees it. */
export interface Opened extends AsyncDisposable {
  /** Puts all of them in, the fastest way there is. Those it knows already must not come in twice, where it can know. */
  bulk(payloads: readonly Payload[]): Promise<void>;
  /** Puts one in and waits until it is accepted. */
  single(payload: Payload): Promise<void>;
  /** Runs no-op jobs until none is left. */
  drain(concurrency: number): Promise<Drained>;
  /** What the queue takes on disk (or, for Redis, in memory). */
  bytes(): Promise<number>;
}

export interface Contender {
  readonly name: string;
  /** Where it stores, and what is durable when. */
  readonly settings: string;
  /** Peers process this share of the jobs: they take longer, and a shorter queue does not harm them. */
  readonly share: number;
  /** Jobs that each process runs on a queue of its own before the clock starts, so that compiling is not measured. */
  readonly warmUp: number;
  open(place: Place): Promise<Opened>;
}

/** The same server, by connections whose commits do not wait for the disk. */
export function unsynced(postgresUrl: string): string {
  return `${postgresUrl}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
}

export const RESOLVER = 'bench';
const HOSTS = 500;

export function createPayload(number: number): Payload {
  return {
    id: `doi:10.5555/bench.${number}`,
    title: `On the measurement of queues, part ${number}`,
    doi: `10.5555/bench.${number}`,
    year: 2026,
    authors: ['Ada Lovelace', 'Edsger Dijkstra'],
    pdf: `https://host-${number % HOSTS}.example.org/papers/${number}.pdf`,
    license: 'cc-by',
  };
}

/** Comparable between processes, unlike performance.now alone. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts what was settled and remembers when the last one was. */
export class Counter {
  jobs = 0;
  lastAt = wallClock();

  settled(jobs = 1): void {
    this.jobs += jobs;
    this.lastAt = wallClock();
  }

  get drained(): Drained {
    return { jobs: this.jobs, lastAt: this.lastAt };
  }
}
