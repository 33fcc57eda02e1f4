import type { WholeWork } from '../answers.ts';
import { CopyButtons, historyOf, link } from '../parts.ts';
import type { View } from '../scene.ts';
import { html, shown, useAnswer, useScene } from '../scene.ts';

/** A work without its text: what is known of it, how to cite it, and the outcome of each attempt to get it. */
export function WorkDetails({ id, isTitled = false }: { readonly id: string; readonly isTitled?: boolean }): View {
  const { runPath } = useScene();
  return shown(useAnswer<WholeWork>(runPath('works', id)), (work) => [
    !isTitled && html`<h2>${work.title ?? work.id}</h2>`,
    html`<p class="hint">${[work.authors, work.year, work.venue].filter((each) => each).join(' · ')}</p>`,
    work.retracted && html`<p class="retracted">This work was retracted.</p>`,
    work.doi !== null && html`<p>${link(`https://doi.org/${encodeURI(work.doi)}`, work.doi)}</p>`,
    work.abstract !== null && html`<p class="abstract">${work.abstract}</p>`,
    html`<div class="acts"><${CopyButtons} ...${work} /></div>`,
    historyOf(work.history),
  ]);
}
