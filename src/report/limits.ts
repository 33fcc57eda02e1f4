/**
 * What a report may hold. A page is opened by a browser as a whole: beyond some forty megabytes that stops being a
 * pleasure. What does not fit is named in the page, and the run folder still has it.
 */
export interface ReportLimits {
  /** Characters of the lines of works; the counts cover all. */
  readonly workChars: number;
  /** Lines of documents. */
  readonly documents: number;
  readonly hosts: number;
  /** Slices of one host; beyond it neighbours are joined: a screen is not wider. */
  readonly slicesPerHost: number;
  readonly failures: number;
  /** Characters of passages, which the search box searches. */
  readonly passageChars: number;
  /** Characters of the blocks shown in the viewer. */
  readonly blockChars: number;
  readonly imagePages: number;
  readonly imageBytes: number;
  /** Characters of the surroundings of works in the graph. */
  readonly graphChars: number;
}

export const REPORT_LIMITS: ReportLimits = {
  // Some hundred thousand works.
  workChars: 25_000_000,
  documents: 5_000,
  hosts: 200,
  slicesPerHost: 300,
  failures: 100,
  passageChars: 12_000_000,
  blockChars: 12_000_000,
  // Some fifty kilobytes and fifty milliseconds each.
  imagePages: 120,
  imageBytes: 8_000_000,
  graphChars: 6_000_000,
};

/** Images this wide can be read on a screen and stay small. */
export const PAGE_PIXELS = 760;
