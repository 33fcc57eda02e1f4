import { html } from '../../report/page/index.ts';

/** Buttons that put the citation of a work where it can be pasted. */
export function copyButtons(
  { apa, bibtex }: { readonly apa: string | null; readonly bibtex: string | null },
  tell: (text: string) => void,
): HTMLElement[] {
  const copy = (name: string, text: string | null): HTMLElement[] =>
    text === null
      ? []
      : [
          html(
            'button',
            {
              type: 'button',
              class: 'quiet',
              click: () =>
                void navigator.clipboard.writeText(text).then(
                  () => tell(`Copied as ${name}.`),
                  () => tell(text),
                ),
            },
            `Copy ${name}`,
          ),
        ];
  return [...copy('APA', apa), ...copy('BibTeX', bibtex)];
}
