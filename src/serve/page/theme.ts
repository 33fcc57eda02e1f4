import { useLayoutEffect, useState } from 'preact/hooks';

import { keepHere, keptHere } from './kept-here.ts';
import type { View } from './scene.ts';
import { html } from './scene.ts';

const THEMES = ['light dark', 'light', 'dark'] as const;
const NAMES = { 'light dark': 'Auto', light: 'Light', dark: 'Dark' } as const;
const KEPT = 'docstokg-theme';

type Theme = (typeof THEMES)[number];

/** Colours as the system says, light, or dark; kept in this browser where it keeps anything. */
export function ThemeButton(): View {
  const [theme, setTheme] = useState<Theme>(kept);
  useLayoutEffect(() => {
    document.documentElement.style.colorScheme = theme === 'light dark' ? '' : theme;
  }, [theme]);
  const turn = (): void => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'light dark';
    setTheme(next);
    keepHere(KEPT, next);
  };
  const label = `Colours: ${NAMES[theme].toLowerCase()}`;
  return html`<button type="button" class="theme" onClick=${turn} aria-label=${label} title=${label}>
    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
      <path d="M12 4a8 8 0 1 0 0 16z" fill="currentColor" />
      <circle cx="12" cy="12" r="8" />
    </svg>
    <span>${NAMES[theme]}</span>
  </button>`;
}

function kept(): Theme {
  const found = keptHere(KEPT);
  return THEMES.find((theme) => theme === found) ?? 'light dark';
}

/** A colour of the style as a canvas needs it: resolved for the theme where an element stands. */
export function resolvedColour(element: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
