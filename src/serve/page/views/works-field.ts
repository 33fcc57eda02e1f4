import { QueryField } from '../parts.ts';
import type { SavedSet } from '../answers.ts';
import type { View } from '../scene.ts';
import { html, useLoaded, useScene } from '../scene.ts';

/** Names that the field for works offers: what was screened, and saved sets. */
export function SetNames({ id }: { readonly id: string }): View {
  const { source, runPath } = useScene();
  const [found] = useLoaded('', async (signal): Promise<readonly SavedSet[]> => {
    if (source.report) return [];
    return (await source.get<{ readonly items: readonly SavedSet[] }>(runPath('sets'), {}, signal)).items;
  });
  const names = ['included', 'excluded', ...(found.kind === 'answered' ? found.value.map(({ name }) => name) : [])];
  return html`<datalist id=${id}>${names.map((name) => html`<option value=${name} />`)}</datalist>`;
}

/** A field that chooses works, of the address. */
export function WorksField({ hint }: { readonly hint: string }): View {
  return [
    html`<${QueryField} name="Works" parameter="works" hint=${hint} list="set-names" />`,
    html`<${SetNames} id="set-names" />`,
  ];
}
