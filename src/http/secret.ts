import { inspect } from 'node:util';

const HIDDEN = '[secret]';
const SHORTEST_TELLABLE = 6;

/** A key or token. Printing, logging, JSON and inspection hide it; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: for the header of a request, never for a message. */
  reveal(): string {
    return this.#value;
  }

  /** Whether the value is long enough to be scrubbed: removing every "k" would garble a page. */
  get isScrubbable(): boolean {
    return this.#value.length >= SHORTEST_TELLABLE;
  }

  /** The text without the value, plain or percent-encoded. */
  scrub(text: string): string {
    if (!this.isScrubbable) return text;
    let clean = text.replaceAll(this.#value, HIDDEN);
    const encoded = encodeURIComponent(this.#value);
    if (encoded !== this.#value) clean = clean.replaceAll(encoded, HIDDEN);
    return clean;
  }

  /** `[secret]`. */
  toString(): string {
    return HIDDEN;
  }

  /** `[secret]`. */
  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** A key for one origin; never sent to another, whatever redirects say. */
export interface Credential {
  /** Scheme, host and port that the key belongs to. */
  readonly origin: string;
  /** Where the key is sent. */
  readonly place: 'header' | 'query';
  /** The name of the header or of the parameter. */
  readonly name: string;
  /** Precedes the value, for example `Bearer `. */
  readonly prefix?: string;
  /** The key. */
  readonly secret: Secret;
}

export function credentialsFor(url: URL, credentials: readonly Credential[]): readonly Credential[] {
  return credentials.filter(({ origin }) => origin === url.origin);
}

/** Servers echo keys into redirects; such a URL must neither be stored nor followed to another host. */
export function withoutKeys(url: URL, credentials: readonly Credential[]): URL {
  const clean = new URL(url);
  for (const [name, value] of url.searchParams) {
    const leaks = credentials.some(
      (credential) =>
        (credential.secret.isScrubbable
          ? value.includes(credential.secret.reveal())
          : value === credential.secret.reveal()) ||
        (credential.place === 'query' && credential.name === name),
    );
    if (leaks) clean.searchParams.delete(name);
  }
  if (credentials.some(({ secret }) => secret.scrub(clean.href) !== clean.href)) return new URL(clean.origin);
  return clean;
}
