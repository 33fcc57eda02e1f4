/** A stretch of text by offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s([])(?:figs?|eqs?|refs?|secs?|sects?|tabs?|chaps?|nos?|vols?|pp?|al|cf|vs|ca|approx|resp|e\.g|i\.e|etc|dr|prof|mr|mrs|ms|st|[\p{Lu}])\.\s*$/iu;
const LONGEST_ABBREVIATION = 12;

/**
 * Segmenters are slow to create, so they are cached; the number is bounded because a document can name any language.
 */
const segmenters = new Map<string, Intl.Segmenter>();
const MOST_SEGMENTERS = 64;

function segments(text: string, granularity: 'sentence' | 'word' | 'grapheme', language: string): Intl.Segments {
  const key = `${granularity}/${language}`;
  let segmenter = segmenters.get(key);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity });
    if (segmenters.size >= MOST_SEGMENTERS) segmenters.clear();
    segmenters.set(key, segmenter);
  }
  return segmenter.segment(text);
}

/** Cuts a stretch of a text at sentence ends; the pieces tile it. */
export function sentences(text: string, span: Span, language: string): Span[] {
  const found: Span[] = [];
  let start = span.start;
  for (const { index, segment } of segments(text.slice(span.start, span.end), 'sentence', language)) {
    const end = span.start + index + segment.length;
    if (end < span.end && ABBREVIATION.test(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) continue;
    found.push({ start, end });
    start = end;
  }
  return found;
}

/** Cuts before each word, so that spaces and punctuation stay with the previous word. */
export function words(text: string, span: Span, language: string): Span[] {
  const starts: number[] = [span.start];
  let blank = true;
  for (const { index, segment, isWordLike } of segments(text.slice(span.start, span.end), 'word', language)) {
    if (isWordLike === true && !blank) starts.push(span.start + index);
    blank &&= segment.trim() === '';
  }
  return between(starts, span.end);
}

/** Cuts between user-perceived characters. */
export function graphemes(text: string, span: Span, language: string): Span[] {
  const starts: number[] = [];
  for (const { index } of segments(text.slice(span.start, span.end), 'grapheme', language))
    starts.push(span.start + index);
  return between(starts, span.end);
}

/** Cuts between code points: the last resort, for one character with hundreds of combining marks. */
export function codePoints(text: string, span: Span): Span[] {
  const starts: number[] = [];
  for (let at = span.start; at < span.end; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) starts.push(at);
  return between(starts, span.end);
}

function between(starts: readonly number[], end: number): Span[] {
  return starts.map((start, at) => ({ start, end: starts[at + 1] ?? end }));
}

/** A language tag that Intl accepts; unknown ones fall back to the rules for all languages. */
export function segmentationLanguage(language: string | undefined): string {
  if (!language) return 'und';
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'und';
  } catch {
    // Intl throws for an invalid language tag.
    return 'und';
  }
}
