const KEYWORDS =
  /^(?:key\s?-?words?(?: and phrases)?|index terms|subject headings|schlagwörter|schlüsselwörter|mots[ -]clés|palabras clave|palavras-chave|parole chiave|trefwoorden|ключевые слова|关键词)\s*(?<end>[:.—–-]|$)/iu;

/** The list of subjects under an abstract is a paragraph of its own. */
export function isKeywords(text: string): boolean {
  return (KEYWORDS.exec(text)?.groups?.end ?? '') !== '';
}

/** The label of that list, which heads no section. */
export function isKeywordsLabel(text: string): boolean {
  return KEYWORDS.exec(text)?.[0].length === text.trim().length;
}
