import { createRequire } from 'node:module';
import type * as ToughCookie from 'tough-cookie';

const require = createRequire(import.meta.url);

/** Loaded on the first cookie: most works need none. */
function toughCookie(): typeof ToughCookie {
  return require('tough-cookie') as typeof ToughCookie;
}

const MAX_COOKIES = 50;
const MAX_BYTES = 16 * 1024;

/** The cookies of one work, bounded: some publishers respond only with the cookie they have just set. */
export class CookieJar {
  #jar: ToughCookie.CookieJar | undefined;

  get size(): number {
    return this.#all.length;
  }

  /** Changes with the content: a redirect to the same URL with new cookies is not a loop. */
  get state(): string {
    return JSON.stringify(this.#all.map(({ domain, path, key, value }) => [domain, path, key, value]));
  }

  header(url: URL, now: number): string | undefined {
    const cookies = (this.#jar?.getCookiesSync(url.href, { expire: false }) ?? [])
      .filter((cookie) => isFresh(cookie, now))
      .toSorted((a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0) || a.creationIndex - b.creationIndex);
    return cookies.length > 0 ? cookies.map((cookie) => cookie.cookieString()).join('; ') : undefined;
  }

  store(line: string, url: URL, now: number): void {
    const { canonicalDomain, Cookie, CookieJar: Jar, defaultPath } = toughCookie();
    const cookie = Cookie.parse(line);
    if (!cookie) return;
    const domain = cookie.cdomain() ?? canonicalDomain(url.hostname);
    const path = cookie.path ?? defaultPath(url.pathname);
    const others = this.#all.filter((each) => each.key !== cookie.key || each.domain !== domain || each.path !== path);
    const bytes = [...others, cookie].reduce((sum, { key = '', value = '' }) => sum + key.length + value.length, 0);
    if (others.length >= MAX_COOKIES || bytes > MAX_BYTES) return;
    this.#jar ??= new Jar();
    this.#jar.setCookieSync(cookie, url.href, { now: new Date(now), ignoreError: true });
  }

  get #all(): readonly ToughCookie.SerializedCookie[] {
    return this.#jar?.serializeSync()?.cookies ?? [];
  }
}

/** Uses our clock; tough-cookie would use the system's. */
function isFresh(cookie: ToughCookie.Cookie, now: number): boolean {
  const created = cookie.creation instanceof Date ? cookie.creation : new Date(now);
  return (cookie.expiryTime(created) ?? Infinity) > now;
}
