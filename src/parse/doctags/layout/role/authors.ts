const PLACE =
  /universit|institut|department|laborator|school|college|cent(?:er|re)\b|academy|faculty|hospital|division|\binc\b|\bltd\b|gmbh|corporation|research|street|avenue|p\.o\.|abstract|received|accepted|published|draft|version|preprint|correspond|e-?mail|@|https?:|doi|conference|journal|licen[sc]e|copyright/i;
const NAME =
  /^(?:(?:\p{Lu}[\p{L}’'.-]*|de|van|von|der|den|di|da|del|la|le|el|al|bin|ter|dos|y)\s+){1,5}\p{Lu}[\p{L}’'-]+(?:\s(?:Jr\.?|Sr\.?|I{2,3}))?$/u;

/** The names among the lines under a title. */
export function findAuthors(lines: readonly string[]): string[] {
  const names: string[] = [];
  for (const line of lines) {
    if (PLACE.test(line)) continue;
    const parts = line
      .replace(/[\p{N}∗*†‡§¶‖#⋆✉^_{}[\]]+/gu, ',')
      .replace(/(?:^|\s|,)(?:and|und|et|&|by)\s+/giu, ',')
      .split(/[,;·•|]/u)
      .map((part) => part.replace(/\s+/gu, ' ').trim());
    for (const part of parts) if (NAME.test(part) && part.length < 60 && !names.includes(part)) names.push(part);
  }
  return names;
}
