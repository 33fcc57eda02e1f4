import * as z from 'zod';

import { seconds, setting } from './setting.ts';

/** HTTP requests: rate limits, retries, timeouts. */
export const httpSchema = z.strictObject({
  contact: setting(
    z.string().default(''),
    'Contact e-mail address, sent in the User-Agent header so that hosts can reach you.',
  ),
  http_proxy: setting(
    z.string().default(''),
    'Proxy for http URLs, as in HTTP_PROXY; never used for addresses on this machine.',
  ),
  https_proxy: setting(z.string().default(''), 'Proxy for https URLs, as in HTTPS_PROXY; defaults to http_proxy.'),
  no_proxy: setting(z.string().default(''), 'Hosts to reach without a proxy, as in NO_PROXY.'),
  per_host_per_second: setting(
    z.number().positive().max(1000).default(1),
    'Maximum requests per second to a host without a documented limit.',
  ),
  rate_margin: setting(
    z.number().min(0).max(1).default(0.04),
    'Safety margin below every rate limit, as a fraction: requests can arrive closer together than they were sent.',
  ),
  retries: setting(z.int().min(0).max(20).default(3), 'Retries of a request after a transient failure.'),
  retry_max_delay: setting(seconds(0).default(60), 'Maximum retry delay when the server does not send Retry-After.'),
  park_after_s: setting(
    seconds(0).default(60),
    'If a retry has to wait longer than this, the work goes back to the queue.',
  ),
  longest_line_s: setting(seconds(0).default(900), 'Longest wait for a request slot at a rate-limited service.'),
  give_up_after_s: setting(
    seconds(0).default(604_800),
    'Longest Retry-After to accept, in seconds; a host that asks for more is skipped for the rest of the run.',
  ),
  longest_crawl_delay_s: setting(
    seconds(0).default(300),
    'Longest Crawl-delay to obey, in seconds; a host that asks for more is skipped.',
  ),
  obey_robots: setting(z.boolean().default(true), 'Obey robots.txt; disable it only for your own hosts.'),
  connect_s: setting(seconds(0.01).default(10), 'Connect timeout.'),
  headers_s: setting(seconds(0.01).default(30), 'Timeout until the response headers arrive.'),
  idle_s: setting(seconds(0.01).default(30), 'Timeout between two chunks of a response body.'),
  total_s: setting(seconds(0.01).default(900), 'Timeout for a whole request.'),
  floor_bytes_per_second: setting(
    z.int().min(0).default(1000),
    'Minimum download speed, averaged over 30 seconds; slower responses are aborted. 0 means no minimum.',
  ),
  allow: setting(
    z.array(z.string()).default([]),
    'Private host:port addresses that may be reached, for tests and intranets.',
  ),
  dns: setting(
    z.record(z.string(), z.string()).default({}),
    'Static DNS entries, such as {"*.example.test": "127.0.0.1:8080"}; "none" makes a name unresolvable.',
  ),
  cache_path: setting(
    z.string().default(''),
    'SQLite file for the cache of service responses; empty means in the run folder.',
  ),
  time_scale: setting(
    z.number().positive().max(1).default(1),
    'Real seconds per second of every wait and limit; set by --sim, refused on the real web.',
  ),
});
