import { AppError } from '../../src/base/index.ts';

export const RESOLVERS = [
  'arxiv',
  'pmc',
  'openalex',
  'europe_pmc',
  'springer_nature',
  'biorxiv',
  'unpaywall',
  'hal',
  'zenodo',
  'figshare',
  'osf',
  'doaj',
  'crossref',
  'landing_page',
  'doi',
  'datacite',
  'semantic_scholar',
  'core',
  'openaire',
  'wiley_tdm',
  'elsevier_tdm',
  'openalex_content',
  'wayback',
] as const;

export type Resolver = (typeof RESOLVERS)[number];
type AcceptedKind = 'pdf' | 'xml' | 'html';

/** What a client is allowed and able to do; expected results always depend on a policy. */
export interface Policy {
  /** The client's OpenAlex query: `filter=topics.id:T10341&search=coral`. */
  readonly selection: string;
  readonly resolvers: readonly Resolver[];
  /** Services with an API key: `openalex_content` and `core` require one. */
  readonly keys: readonly string[];
  /** Credits left for OpenAlex content (100 per file, 1 per miss); null means unlimited. */
  readonly contentCredits: number | null;
  readonly robots: boolean;
  /** The product token matched against robots.txt. */
  readonly agent: string;
  readonly maxBytes: number;
  readonly accept: readonly AcceptedKind[];
  readonly maxRetries: number;
  /** A longer wait defers the work. */
  readonly parkAfterSeconds: number;
  /** A host that asks for a longer wait is skipped. */
  readonly giveUpAfterSeconds: number;
  readonly maxRedirects: number;
  readonly allowPrivateAddresses: boolean;
  readonly identityCheck: boolean;
  readonly acceptEncrypted: boolean;
  readonly acceptPreviews: boolean;
  readonly retracted: 'keep' | 'skip';
  /** Hosts disabled while the simulator runs. */
  readonly deadHosts: readonly string[];
}

/** Everything enabled, all keys, default limits. */
export const DEFAULT_POLICY: Policy = {
  selection: '',
  resolvers: RESOLVERS,
  keys: ['openalex', 'core', 'semantic_scholar', 'openaire', 'osf', 'ncbi', 'springer_nature'],
  contentCredits: null,
  robots: true,
  agent: 'DocsToKG-TS',
  maxBytes: 200_000_000,
  accept: ['pdf', 'xml', 'html'],
  maxRetries: 3,
  parkAfterSeconds: 60,
  giveUpAfterSeconds: 604_800,
  maxRedirects: 10,
  allowPrivateAddresses: false,
  identityCheck: true,
  acceptEncrypted: false,
  acceptPreviews: false,
  retracted: 'keep',
  deadHosts: [],
};

/** Parses a policy from JSON: missing fields have defaults, unknown fields are errors. */
export function parsePolicy(value: unknown): Policy {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new AppError('USAGE_SIM_POLICY', 'a policy is a JSON object', { hint: 'see docs/reference/simulator.md' });
  for (const [key, given] of Object.entries(value)) {
    if (!Object.hasOwn(DEFAULT_POLICY, key))
      throw new AppError('USAGE_SIM_POLICY', `the policy has no "${key}"`, {
        hint: `known: ${Object.keys(DEFAULT_POLICY).join(', ')}`,
      });
    const usual = DEFAULT_POLICY[key as keyof Policy];
    const fits =
      key === 'contentCredits'
        ? given === null || typeof given === 'number'
        : Array.isArray(usual)
          ? Array.isArray(given)
          : typeof given === typeof usual;
    if (!fits) throw new AppError('USAGE_SIM_POLICY', `"${key}" of the policy has the wrong type`);
  }
  const policy = { ...DEFAULT_POLICY, ...value };
  const unknown = policy.resolvers.find((resolver) => !RESOLVERS.includes(resolver));
  if (unknown !== undefined)
    throw new AppError('USAGE_SIM_POLICY', `"${unknown}" is not a resolver`, {
      hint: `known: ${RESOLVERS.join(', ')}`,
    });
  return policy;
}
