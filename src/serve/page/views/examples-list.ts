import { useMemo } from 'preact/hooks';

import type { List, Work } from '../answers.ts';
import { exampleQuestions } from '../examples.ts';
import type { View } from '../scene.ts';
import { html, useAnswer, useScene } from '../scene.ts';

/** Questions about what the titles of this corpus share, to ask or to search for. */
export function ExampleList({ path }: { readonly path: '/ask' | '/search' }): View {
  const { place, runPath } = useScene();
  const listed = useAnswer<List<Work>>(runPath('works'), { outcome: 'saved,local', limit: 300 });
  const questions = useMemo(
    () => (listed.kind === 'answered' ? exampleQuestions(listed.value.items.flatMap(({ title }) => title ?? [])) : []),
    [listed],
  );
  if (questions.length === 0) return undefined;
  return html`<section class="examples">
    <h2>For example</h2>
    <ul>
      ${questions.map((question) => html`<li><a class="quiet" href=${place(path, { q: question })}>${question}</a></li>`)}
    </ul>
  </section>`;
}
