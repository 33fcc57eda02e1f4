import { GraphPanel, html } from '../../report/page/index.ts';
import { ask } from './ask.ts';
import type { View } from './view.ts';
import { place } from './view.ts';

type Picture = Awaited<ReturnType<ConstructorParameters<typeof GraphPanel>[0]['load']>>;

/** The surroundings of a work, drawn and listed as in the report; each picture is asked for when it is looked at. */
export const graphView: View = async (into, { run, query }, signal) => {
  if (!run?.has_graph) {
    into.replaceChildren(
      html('p', { class: 'hint' }, 'There is no graph of this run; docstokg graph build makes one.'),
    );
    return;
  }
  const base = `/runs/${encodeURIComponent(run.id)}/graph`;
  const { items } = await ask<{ readonly items: readonly { readonly id: string; readonly label: string }[] }>(
    `${base}/works`,
    {},
    signal,
  );
  const panel = new GraphPanel({
    works: items,
    load: async (at) => await ask<Picture>(`${base}/picture`, { node: items[at]?.id ?? '' }, signal),
    workPlace: (at) => `#work-${at}`,
    evidencePlace: ({ document, block }) =>
      block === null ? undefined : place('/documents', { run: run.id, document, block }),
  });
  into.replaceChildren(...panel.content());
  const wanted = (): number | undefined => {
    const [, number] = /^#work-(\d{1,6})$/.exec(location.hash) ?? [];
    const named = items.findIndex(({ id }) => id === query.get('node'));
    return number === undefined ? (named < 0 ? undefined : named) : Number(number);
  };
  const open = (): void => void panel.open(wanted());
  addEventListener('hashchange', open, { signal });
  await panel.open(wanted());
};
