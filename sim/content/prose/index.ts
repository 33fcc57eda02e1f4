import { batteries } from './batteries.ts';
import { coral } from './coral.ts';
import { english } from './english.ts';
import { genericTheme } from './generic.ts';
import type { FactPattern, Grammar, Lexicon, Role, Theme } from './grammar.ts';
import { graphs } from './graphs.ts';
import { russian, russianLexicons } from './russian.ts';

export type { Role } from './grammar.ts';

/** A language combined with a subject. */
export interface Voice {
  readonly grammar: Grammar;
  readonly lexicon: Lexicon;
  readonly sentences: Readonly<Record<Role, readonly string[]>>;
  readonly facts: readonly FactPattern[];
  readonly formulas: Theme['formulas'];
}

const THEMES: Readonly<Record<string, Theme>> = { batteries, coral, graphs };

/** The voice for a language and topic; English unless it is Russian. */
export function voiceFor(language: string, topic: string): Voice {
  const [name, theme] = Object.entries(THEMES).find(([, { match }]) => match.test(topic)) ?? [
    'generic',
    genericTheme(topic),
  ];
  if (/^ru/i.test(language)) {
    const lexicon = russianLexicons[name] ?? russianLexicons['generic'] ?? theme.lexicon;
    return { grammar: russian, lexicon, sentences: russian.sentences, facts: russian.facts, formulas: theme.formulas };
  }
  const sentences = { ...english.sentences };
  for (const role of Object.keys(sentences) as Role[]) {
    sentences[role] = [...sentences[role], ...(theme.sentences[role] ?? [])];
  }
  return {
    grammar: english,
    lexicon: theme.lexicon,
    sentences,
    facts: theme.facts.length > 3 ? theme.facts : [...theme.facts, ...english.facts],
    formulas: theme.formulas,
  };
}
