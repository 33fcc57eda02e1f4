import type { AskedAnswer } from '../answers.ts';

/** An answer as Markdown: its sentences with numbers, the quotes, and the works that they are from. */
export function answerText({ question, sentences, disagreements, uncertain, model }: AskedAnswer): string {
  const sources = new Map<string, number>();
  const numberOf = (source: string): number => {
    if (!sources.has(source)) sources.set(source, sources.size + 1);
    return sources.get(source) ?? 0;
  };
  const line = ({ text, quotes }: AskedAnswer['sentences'][number]): string => {
    const numbers = quotes.map((quote) => {
      const number = numberOf(quote.citation ?? quote.title ?? quote.document);
      return quote.page === null ? `[${number}]` : `[${number}, p. ${quote.page}]`;
    });
    const quoted = model === null ? [] : quotes.map((quote) => `> ${quote.text.replaceAll(/\s+/g, ' ')}`);
    return [`${text} ${[...new Set(numbers)].join(' ')}`, ...quoted].join('\n\n');
  };
  const part = (title: string, of: AskedAnswer['sentences']): string[] =>
    of.length === 0 ? [] : [...(title === '' ? [] : [`## ${title}`]), ...of.map(line)];
  const body = [
    `# ${question}`,
    ...part('', sentences),
    ...part('The papers disagree', disagreements),
    ...part('Uncertain', uncertain),
  ];
  const references = [...sources].map(([source, number]) => `${number}. ${source}`);
  return `${[...body, '## References', references.join('\n')].join('\n\n')}\n`;
}
