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
