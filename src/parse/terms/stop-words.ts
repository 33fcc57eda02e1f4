/** English words that carry grammar and no topic; what is left after an apostrophe ("it's", "don't") is among them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the and but if or because as until while',
    'i me my myself we our ours ourselves you your yours yourself yourselves',
    'he him his himself she her hers herself it its itself they them their theirs themselves',
    'what which who whom this that these those when where why how',
    'am is are was were be been being have has had having do does did doing can will should',
    'of at by for with about against between into through during before after above below to from',
    'up down in out on off over under again further then once here there',
    'all any both each few more most other some such no nor not only own same so than too very just now',
    's t don',
  ]
    .join(' ')
    .split(' '),
);
