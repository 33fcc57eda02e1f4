/** How much of an untrusted file is read before it is refused. */
export interface MarkupLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAttributes: number;
}

/** XML: 200 MB, 512 levels. */
export const XML_LIMITS: MarkupLimits = {
  maxBytes: 200_000_000,
  maxDepth: 512,
  maxNodes: 20_000_000,
  maxAttributes: 1_000,
};

/** HTML: 20 MB, 512 levels; repairing broken markup can multiply elements, so their number is bounded too. */
export const HTML_LIMITS: MarkupLimits = {
  maxBytes: 20_000_000,
  maxDepth: 512,
  maxNodes: 2_000_000,
  maxAttributes: 1_000,
};
