/** What a run tells of itself. */
interface Run {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly works: number;
  readonly saved: number;
  readonly documents: number;
}

function cell(tag: 'td' | 'th', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function row(tag: 'td' | 'th', texts: readonly string[]): HTMLElement {
  const element = document.createElement('tr');
  element.append(...texts.map((text) => cell(tag, text)));
  return element;
}

/** Shows the runs and how far each has come. */
async function show(app: HTMLElement): Promise<void> {
  const response = await fetch('/api/v1/');
  if (!response.ok) {
    app.textContent = 'Open the link that docstokg serve printed.';
    return;
  }
  const { runs } = (await response.json()) as { readonly runs: readonly Run[] };
  const table = document.createElement('table');
  table.append(
    row('th', ['run', 'state', 'works', 'saved', 'parsed']),
    ...runs.map(({ title, state, works, saved, documents }) =>
      row('td', [title, state, String(works), String(saved), String(documents)]),
    ),
  );
  app.replaceChildren(table);
}

const app = document.querySelector<HTMLElement>('#app');
if (app) {
  void show(app);
  const events = new EventSource('/api/v1/events');
  events.addEventListener('now', () => void show(app));
}
