import { useState } from 'preact/hooks';

import type { Screening } from '../answers.ts';
import { field, QueryField } from '../parts.ts';
import type { View } from '../scene.ts';
import { button, html, messageOf, useScene } from '../scene.ts';

type Given = Screening['protocol'];

/** What is included and why something is not; a change is a new version, and old decisions keep theirs. */
export function Protocol(props: { readonly protocol: Given; readonly by: string; readonly saved: () => void }): View {
  const { protocol, by, saved } = props;
  const { about } = useScene();
  const [isOpen, setOpen] = useState(false);
  const leave = (): void => setOpen(false);
  const { question, criteria, reasons, reviewers, version } = protocol;
  const isWritten = question !== '' || criteria !== '' || reasons.length > 0;
  return html`<section class="criteria">
    <div class="tools">
      <h2>Criteria</h2>
      ${about.control && !isOpen && button(isWritten ? 'Edit criteria' : 'Write criteria', () => setOpen(true))}
    </div>
    ${
      isOpen
        ? html`<${ProtocolForm} protocol=${protocol} by=${by} leave=${leave} saved=${saved} />`
        : [
            !isWritten &&
              html`<p>No criteria are written yet. With a question the works that are about it come first.</p>`,
            question !== '' && html`<p><strong>${question}</strong></p>`,
            criteria !== '' && html`<p>${criteria}</p>`,
            reasons.length > 0 && html`<p class="hint">Not: ${reasons.join('; ')}</p>`,
            reviewers > 1 &&
              html`<p class="hint">${`${reviewers} people decide about each work, blind to each other.`}</p>`,
            version > 1 && html`<p class="hint">Version ${version}</p>`,
          ]
    }
    <${QueryField} name="Words to mark" parameter="mark" hint="placebo, cohort" isLeftByEnter />
  </section>`;
}

function ProtocolForm(props: {
  readonly protocol: Given;
  readonly by: string;
  readonly leave: () => void;
  readonly saved: () => void;
}): View {
  const { protocol, by, leave, saved } = props;
  const { source, notify, runPath } = useScene();
  const submit = (event: Event): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const text = (name: string): string => {
      const value = given.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const listed = (name: string, sign: string): string[] =>
      text(name)
        .split(sign)
        .map((each) => each.trim())
        .filter((each) => each !== '');
    const change = {
      by,
      question: text('question'),
      criteria: text('criteria'),
      reasons: listed('reasons', '\n'),
      highlight: listed('highlight', ','),
      reviewers: Number(text('reviewers')),
    };
    source.post(runPath('screening', 'protocol'), change).then(
      () => {
        leave();
        saved();
      },
      (error: unknown) => notify(`Not saved: ${messageOf(error)}.`),
    );
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
  };
  const area = (name: string, rows: number, value: string): View =>
    html`<textarea name=${name} rows=${rows} maxlength="4000">${value}</textarea>`;
  return html`<form class="writing" onSubmit=${submit} onKeyDown=${keys}>
    ${field('Question, with which the ranking begins', area('question', 2, protocol.question))}
    ${field('Criteria', area('criteria', 5, protocol.criteria))}
    ${field('Reasons to exclude, one per line', area('reasons', 4, protocol.reasons.join('\n')))}
    ${field('Words to mark for everybody', html`<input name="highlight" defaultValue=${protocol.highlight.join(', ')} />`)}
    ${field('Reviewers of each work, blind to each other', html`<input name="reviewers" type="number" min="1" max="10" required defaultValue=${protocol.reviewers} />`)}
    <p class="acts"><button type="submit" class="quiet">Keep</button> ${button('Cancel', leave)}</p>
  </form>`;
}
