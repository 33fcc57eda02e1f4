import { field, html, number, words } from '../../report/page/index.ts';
import type { Job, List } from './answers.ts';
import { address, ask } from './ask.ts';
import { jobDialog } from './job.ts';
import { PagedRows } from './paged-rows.ts';
import { fault, heads, since } from './view.ts';

const STATES = ['queued', 'in_progress', 'done', 'skipped', 'error'] as const;

/** The jobs of the queue, by state, reason and host; each leads to its history. */
export class JobList {
  readonly element: HTMLElement;
  readonly #state: HTMLSelectElement;
  readonly #code: HTMLInputElement;
  readonly #host: HTMLInputElement;
  readonly #rows: PagedRows<Job>;
  readonly #dialog = html('dialog', { class: 'history', 'aria-label': 'History of a job' });

  constructor(signal: AbortSignal) {
    this.#state = html(
      'select',
      { id: 'jobs-state' },
      html('option', { value: '' }, 'all states'),
      ...STATES.map((each) => html('option', { value: each }, words(each))),
    );
    this.#code = html('input', { type: 'search', id: 'jobs-code', placeholder: 'such as NOT_FOUND' });
    this.#host = html('input', { type: 'search', id: 'jobs-host', placeholder: 'such as zenodo.org' });
    this.#rows = new PagedRows<Job>(
      async (cursor) =>
        await ask<List<Job>>(
          '/queue/jobs',
          {
            state: this.#state.value,
            error_code: this.#code.value.trim(),
            host: this.#host.value.trim(),
            cursor,
            limit: 25,
          },
          signal,
        ),
      (job) => jobRow(job, () => void this.#open(job)),
      ['job', 'jobs'],
    );
    for (const control of [this.#state, this.#code, this.#host])
      control.addEventListener('change', () => void this.load());
    this.element = html(
      'section',
      { class: 'jobs' },
      html('h2', {}, 'Jobs'),
      html(
        'form',
        { class: 'filters', submit: (event: Event) => event.preventDefault() },
        field('State', this.#state),
        field('Reason', this.#code),
        field('Host', this.#host),
      ),
      this.#rows.status,
      html(
        'table',
        { class: 'plain stacked' },
        html('caption', { class: 'hidden' }, 'Jobs of the queue'),
        heads('Work', 'State', 'Reason', 'Host', 'Tries', 'Changed'),
        this.#rows.body,
      ),
      this.#rows.more,
      this.#dialog,
    );
  }

  async load(): Promise<void> {
    await this.#rows.refresh();
  }

  /** Shows the jobs of a reason. */
  filter(state: string, code: string): void {
    this.#state.value = state;
    this.#code.value = code;
    this.element.scrollIntoView();
    void this.load();
  }

  async #open(job: Job): Promise<void> {
    const dialog = this.#dialog;
    const close = (): void => dialog.close();
    dialog.replaceChildren(html('p', { class: 'hint' }, 'Looking it up …'));
    dialog.showModal();
    try {
      dialog.replaceChildren(...(await jobDialog(address(`/queue/jobs/${job.id}`), close)));
    } catch (error) {
      dialog.replaceChildren(fault(error), html('button', { type: 'button', class: 'quiet', click: close }, 'Close'));
    }
  }
}

function jobRow(job: Job, open: () => void): HTMLElement {
  return html(
    'tr',
    { 'data-job': job.id },
    html(
      'th',
      { scope: 'row' },
      html('button', { type: 'button', class: 'sort', click: open }, job.title ?? job.artifact_id),
      html('small', {}, job.title === null ? '' : job.artifact_id),
    ),
    html('td', { 'data-name': 'State' }, words(job.state)),
    html('td', { 'data-name': 'Reason' }, job.error_code === null ? '–' : words(job.error_code).toLowerCase()),
    html('td', { 'data-name': 'Host' }, job.host ?? '–'),
    html('td', { 'data-name': 'Tries' }, number(job.attempts)),
    html('td', { 'data-name': 'Changed' }, since(job.updated_at)),
  );
}
