import * as z from 'zod';

import { seconds } from './setting.ts';

/** How the web is asked. */
export const httpSchema = z.strictObject({
  contact: z
    .string()
    .default('')
    .describe('Contact e-mail address, sent in the User-Agent header so that hosts can reach you.'),
  http_proxy: z
    .string()
    .default('')
    .describe('Proxy for http URLs, as in HTTP_PROXY; never used for addresses on this machine.'),
  https_proxy: z.string().default('').describe('Proxy for https URLs, as in HTTPS_PROXY; defaults to http_proxy.'),
  no_proxy: z.string().default('').describe('Hosts to reach without a proxy, as in NO_PROXY.'),
  per_host_per_second: z
    .number()
    .positive()
    .max(1000)
    .default(1)
    .describe('Maximum requests per second to a host without a documented limit.'),
  per_host_concurrency: z
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe('Maximum concurrent requests to a host without a documented limit; 0 means orchestrator.max_per_host.'),
  rate_margin: z
    .number()
    .min(0)
    .max(1)
    .default(0.04)
    .describe(
      'Safety margin below every rate limit, as a fraction: requests can arrive closer together than they were sent.',
    ),
  retries: z.int().min(0).max(20).default(3).describe('Retries of a request after a transient failure.'),
  retry_base_s: seconds(0.01)
    .default(1)
    .describe('Initial retry delay when the server does not send Retry-After; doubles with each retry.'),
  retry_max_delay: seconds(0).default(60).describe('Maximum retry delay when the server does not send Retry-After.'),
  park_after_s: seconds(0)
    .default(60)
    .describe('If a retry has to wait longer than this, the work goes back to the queue.'),
  longest_line_s: seconds(0).default(900).describe('Longest wait for a request slot at a rate-limited service.'),
  give_up_after_s: seconds(0)
    .default(604_800)
    .describe(
      'Longest Retry-After to accept, in seconds; a host that asks for more is skipped for the rest of the run.',
    ),
  longest_crawl_delay_s: seconds(0)
    .default(300)
    .describe('Longest Crawl-delay to obey, in seconds; a host that asks for more is skipped.'),
  circuit_failures: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Consecutive failures after which requests to a host are suspended (circuit breaker).'),
  circuit_s: seconds(0.01).default(30).describe('Initial suspension of a failing host; doubles each time.'),
  circuit_max_s: seconds(0.01).default(900).describe('Maximum suspension of a failing host.'),
  robots_s: seconds(1).max(604_800).default(86_400).describe('How long a robots.txt is cached.'),
  robots_unreachable_s: seconds(1)
    .default(600)
    .describe('How long a host is treated as disallowed after its robots.txt could not be fetched.'),
  max_redirects: z.int().min(0).max(20).default(10).describe('Maximum number of redirects to follow per request.'),
  obey_robots: z.boolean().default(true).describe('Obey robots.txt; disable it only for your own hosts.'),
  connect_s: seconds(0.01).default(10).describe('Connect timeout.'),
  headers_s: seconds(0.01).default(30).describe('Timeout until the response headers arrive.'),
  idle_s: seconds(0.01).default(30).describe('Timeout between two chunks of a response body.'),
  total_s: seconds(0.01).default(900).describe('Timeout for a whole request.'),
  floor_bytes_per_second: z
    .int()
    .min(0)
    .default(1000)
    .describe('Minimum download speed, averaged over 30 seconds; slower responses are aborted. 0 means no minimum.'),
  allow: z
    .array(z.string())
    .default([])
    .describe('Private host:port addresses that may be reached, for tests and intranets.'),
  dns: z
    .record(z.string(), z.string())
    .default({})
    .describe('Static DNS entries, such as {"*.example.test": "127.0.0.1:8080"}; "none" makes a name unresolvable.'),
  cache_path: z
    .string()
    .default('')
    .describe('SQLite file for the cache of service responses; empty means in the run folder.'),
  cache_max_bytes: z
    .int()
    .min(1_000_000)
    .default(536_870_912)
    .describe('Maximum size of the response cache; the least recently used entries are removed first.'),
  time_scale: z
    .number()
    .positive()
    .max(1)
    .default(1)
    .describe('Real seconds per second of every wait and limit; below 1 is for simulations only.'),
});
