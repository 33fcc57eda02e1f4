/** What the page is made of. */
export interface PageParts {
  /** All code as one text, for a report. */
  readonly script: string;
  readonly style: string;
  /** The same code as modules by name, for a server: the first is the page, others are loaded with it or later. */
  readonly modules: Readonly<Record<string, string>>;
}
