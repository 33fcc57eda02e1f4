import { counted, duration, html, link, moment, size, words } from '../../report/page/index.ts';
import type { Job, Tried } from './answers.ts';
import { Refusal } from './ask.ts';

/** A job and what came of it every time: file, resolver, host. */
export async function jobDialog(at: string, close: () => void): Promise<Node[]> {
  const response = await fetch(at);
  if (!response.ok) throw new Refusal(response.status, (await response.json().catch(() => ({}))) as object);
  const job = (await response.json()) as Job & { readonly history: readonly Tried[] };
  const facts: readonly (readonly [string, string])[] = [
    ['Work', job.artifact_id],
    ['State', words(job.state)],
    ['Tries', String(job.attempts)],
    ['Host', job.host ?? '–'],
    ['Put in', job.created_at === null ? '–' : moment(Date.parse(job.created_at))],
    ['Changed', job.updated_at === null ? '–' : moment(Date.parse(job.updated_at))],
    ['Due', job.available_at === null ? '–' : moment(Date.parse(job.available_at))],
    ['Held by', job.worker_id ?? 'nobody'],
    ['Last error', job.last_error ?? '–'],
  ];
  return [
    html('h2', {}, job.title ?? job.artifact_id),
    html(
      'dl',
      { class: 'facts' },
      ...facts.map(([name, value]) => html('div', {}, html('dt', {}, name), html('dd', {}, value))),
    ),
    ...historyOf(job.history),
    html('button', { type: 'button', class: 'quiet', click: close, autofocus: true }, 'Close'),
  ];
}

/** What came of a work, the last time first. */
export function historyOf(history: readonly Tried[]): HTMLElement[] {
  if (history.length === 0) return [html('p', { class: 'hint' }, 'It has not been tried yet.')];
  return history.map(({ at, outcome, reason, sentence, resolver, url, file, attempts }) =>
    html(
      'section',
      { class: 'tried' },
      html('h3', {}, `${moment(Date.parse(at))}: ${words(outcome)}, ${words(reason)}`),
      sentence !== null && html('p', { class: 'hint' }, sentence),
      file !== null &&
        html('p', { class: 'hint' }, `Kept as ${file}${resolver === null ? '' : `, found by ${words(resolver)}`}`),
      url !== null && html('p', { class: 'hint' }, 'From ', link(url, url)),
      attempts.length > 0 &&
        html(
          'details',
          { open: attempts.length < 4 },
          html('summary', {}, counted(attempts.length, 'address tried', 'addresses tried')),
          html(
            'ul',
            {},
            ...attempts.map((each) =>
              html(
                'li',
                { title: each.sentence ?? undefined },
                `${words(each.resolver)}, ${each.host}: ${words(each.reason)}${each.status === null ? '' : ` (${each.status})`}, ${size(each.bytes)} in ${duration(each.duration_ms)}`,
              ),
            ),
          ),
        ),
    ),
  );
}
