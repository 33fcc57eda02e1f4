/** A PMCID as `PMC` and digits, from any spelling that contains PMC; a version (`PMC123.2`) is dropped. */
export function normalizePmcid(text: string): string | undefined {
  const digits = /^(?:https?:\/\/[^\s]*\/)?(?:pmcid:?\s*)?pmc:?\s*(\d{1,10})(?:\.\d{1,3})?\/?$/i.exec(text.trim())?.[1];
  return digits === undefined || Number(digits) === 0 ? undefined : `PMC${Number(digits)}`;
}

/** A PMCID from a PMCID field, where bare digits count too. */
export function pmcidFromField(text: string): string | undefined {
  const digits = /(?:^|\/)(\d{1,10})\/?$/.exec(text.trim())?.[1];
  return normalizePmcid(text) ?? (digits === undefined ? undefined : normalizePmcid(`PMC${digits}`));
}

/** A PMID as digits, from a PubMed URL or a text that says PMID. */
export function normalizePmid(text: string): string | undefined {
  const match =
    /^(?:https?:\/\/(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov\/pubmed)\/|pmid:?\s*)(\d{1,9})\/?$/i.exec(
      text.trim(),
    );
  return match ? String(Number(match[1])) : undefined;
}

/** A PMID from a PMID field. */
export function pmidFromField(text: string): string | undefined {
  const trimmed = text.trim();
  return normalizePmid(trimmed) ?? (/^[1-9]\d{0,8}$/.test(trimmed) ? trimmed : undefined);
}

/** An OpenAlex work id (`W…`), from its short form or its URL, in any case. */
export function normalizeOpenAlexId(text: string): string | undefined {
  const id = /^(?:https?:\/\/(?:api\.|explore\.)?openalex\.org\/(?:works\/)?|openalex:)?(w[1-9]\d{0,12})\/?$/i.exec(
    text.trim(),
  )?.[1];
  return id?.toUpperCase();
}

/** An OpenAlex topic id (`T…`). */
export function normalizeTopicId(text: string): string | undefined {
  return /^(?:https?:\/\/openalex\.org\/(?:topics\/)?)?(t[1-9]\d{0,7})$/i.exec(text.trim())?.[1]?.toUpperCase();
}

/** A HAL id (`hal-01234567`, `tel-…`), without portal and version. */
export function normalizeHalId(text: string): string | undefined {
  const id =
    /^(?:https?:\/\/(?:[a-z0-9-]+\.)*(?:hal\.science|archives-ouvertes\.fr)\/|hal:|oai:hal:)?([a-z][a-z_]{1,15}-\d{6,9})(?:v\d{1,3})?(?:\/[^\s]*)?$/i.exec(
      text.trim(),
    )?.[1];
  return id?.toLowerCase();
}

/** A Zenodo record number, from its URL or its DOI. Concept and version records share the form. */
export function normalizeZenodoId(text: string): string | undefined {
  return /^(?:https?:\/\/(?:www\.)?zenodo\.org\/(?:api\/)?records?\/|(?:https?:\/\/doi\.org\/)?10\.5281\/zenodo\.|zenodo:)(\d{1,12})(?:[/?#][^\s]*)?$/i.exec(
    text.trim(),
  )?.[1];
}

/** The guid inside an OSF DOI (`10.31219/osf.io/abcde_v2`) or an osf.io URL. */
export function osfGuidOf(text: string): string | undefined {
  return /(?:^|\/)osf\.io\/(?:preprints\/[a-z0-9]+\/|download\/)?([a-z0-9]{5,12}(?:_v\d{1,3})?)\/?$/i
    .exec(text.trim())?.[1]
    ?.toLowerCase();
}
