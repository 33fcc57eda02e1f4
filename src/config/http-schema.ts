import * as z from 'zod';

import { seconds } from './setting.ts';

/** How the web is asked. */
export const httpSchema = z.strictObject({
  contact: z
    .string()
    .default('')
    .describe('E-mail address that goes into every User-Agent, so that hosts can reach you.'),
  http_proxy: z
    .string()
    .default('')
    .describe('Proxy for http: addresses, as HTTP_PROXY names it; what is on this machine is never asked of one.'),
  https_proxy: z
    .string()
    .default('')
    .describe('Proxy for https: addresses, as HTTPS_PROXY names it; empty takes http_proxy.'),
  no_proxy: z.string().default('').describe('Names that are reached without a proxy, as NO_PROXY lists them.'),
  per_host_per_second: z
    .number()
    .positive()
    .max(1000)
    .default(1)
    .describe('Requests per second at one host that has no documented limit of its own.'),
  per_host_concurrency: z
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe('Requests in flight at one host that has no documented limit; 0 takes orchestrator.max_per_host.'),
  rate_margin: z
    .number()
    .min(0)
    .max(1)
    .default(0.04)
    .describe('Share by which every rate is kept below its limit, because requests bunch on their way.'),
  retries: z.int().min(0).max(20).default(3).describe('Attempts after the first for what is worth repeating.'),
  retry_base_s: seconds(0.01).default(1).describe('First wait of our own between two attempts; it doubles.'),
  retry_max_delay: seconds(0).default(60).describe('Longest wait of our own between two attempts.'),
  park_after_s: seconds(0).default(60).describe('A wait longer than this puts the work back in the queue instead.'),
  longest_line_s: seconds(0)
    .default(900)
    .describe('Longest wait for the turn at a service whose limit our own requests use up.'),
  give_up_after_s: seconds(0)
    .default(604_800)
    .describe(
      'A host that asks for a longer wait than this many seconds (seven days) is given up for the run, with that reason.',
    ),
  longest_crawl_delay_s: seconds(0)
    .default(300)
    .describe('A Crawl-delay is kept as asked up to this many seconds; a host that asks for more is not asked.'),
  circuit_failures: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Failures in a row after which a host is not asked for a while.'),
  circuit_s: seconds(0.01).default(30).describe('How long a failing host is not asked at first; it doubles each time.'),
  circuit_max_s: seconds(0.01).default(900).describe('Longest time a failing host is not asked.'),
  robots_s: seconds(1).max(604_800).default(86_400).describe('How long what a robots.txt says is remembered.'),
  robots_unreachable_s: seconds(1)
    .default(600)
    .describe('How long a host whose robots.txt could not be read counts as closed.'),
  max_redirects: z.int().min(0).max(20).default(10).describe('Redirects that are followed for one answer.'),
  obey_robots: z
    .boolean()
    .default(true)
    .describe('Whether robots.txt is obeyed; switch it off only for hosts of your own.'),
  connect_s: seconds(0.01).default(10).describe('Time to connect.'),
  headers_s: seconds(0.01).default(30).describe('Time until the headers of an answer.'),
  idle_s: seconds(0.01).default(30).describe('Longest silence in a body.'),
  total_s: seconds(0.01).default(900).describe('Time for one answer as a whole.'),
  floor_bytes_per_second: z
    .int()
    .min(0)
    .default(1000)
    .describe('A body slower than this over half a minute is given up; 0 means any speed.'),
  allow: z
    .array(z.string())
    .default([])
    .describe('Private host:port pairs that may be reached all the same: tests and intranets.'),
  dns: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Names and where they lead, such as {"*.example.test": "127.0.0.1:8080"}; "none" for names that shall not exist.',
    ),
  cache_path: z
    .string()
    .default('')
    .describe('SQLite file in which answers of services are cached; empty means in the run folder.'),
  cache_max_bytes: z
    .int()
    .min(1_000_000)
    .default(536_870_912)
    .describe('Size of that cache; what was not used for longest leaves first.'),
  time_scale: z
    .number()
    .positive()
    .max(1)
    .default(1)
    .describe('Real seconds per second of every wait and limit; below 1 only for a simulated web.'),
});
