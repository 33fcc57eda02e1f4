// The pages are those of the repository, copied by pages.mjs: nothing is written twice.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineConfig } from 'vitepress';

const ROOT = join(import.meta.dirname, '..', '..');
const REPOSITORY = 'https://github.com/docstokg/docstokg';

/** The links of a Markdown list below each heading, as groups of the sidebar. */
function groupsOf(file: string, folder: string) {
  const [, ...sections] = readFileSync(join(ROOT, file), 'utf8').split(/^## /m);
  return sections.map((section) => ({
    text: section.split('\n')[0] ?? '',
    items: [...section.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)].map(([, text = '', page = '']) => ({
      text: text.charAt(0).toUpperCase() + text.slice(1),
      link: `${folder}${page}`,
    })),
  }));
}

const page = (text: string, link: string): { text: string; link: string } => ({ text, link });

export default defineConfig({
  title: 'DocsToKG',
  description: 'From a research question to a corpus that can be searched, cited and questioned',
  base: '/docstokg/',
  srcDir: 'pages',
  rewrites: {
    'README.md': 'index.md',
    'docs/guides/README.md': 'docs/guides/index.md',
    'docs/decisions/README.md': 'docs/decisions/index.md',
  },
  cleanUrls: true,
  // Links to sources lead to the repository, as on GitHub.
  markdown: {
    // `{ … }` in texts of messages is no attribute.
    attrs: { disable: true },
    config(md) {
      const render =
        md.renderer.rules.link_open ?? ((tokens, at, options, _env, self) => self.renderToken(tokens, at, options));
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const href = tokens[at]?.attrGet('href') ?? '';
        const source =
          /^(?:\.\.?\/)*((?:src|examples|sim|bench|sql|test|scripts|models|training|\.github)\/.*|LICENSE|NOTICE|CITATION\.cff|llms\.txt)$/.exec(
            href,
          );
        if (source) tokens[at]?.attrSet('href', `${REPOSITORY}/blob/main/${source[1]}`);
        return render(tokens, at, options, env, self);
      };
    },
  },
  ignoreDeadLinks: [
    /(?:^|\/)(?:src|examples|sim|bench|sql|test|scripts|models|training|\.github)(?:\/|$)/,
    /(?:LICENSE|NOTICE|CITATION\.cff|llms\.txt)$/,
  ],
  themeConfig: {
    search: { provider: 'local' },
    nav: [page('Guides', '/docs/guides/'), page('Commands', '/docs/reference/cli'), page('Changes', '/CHANGELOG')],
    sidebar: [
      ...groupsOf('docs/guides/README.md', '/docs/guides/'),
      {
        text: 'Reference',
        items: ['cli', 'configuration', 'errors', 'events', 'metrics', 'graph', 'simulator'].map((name) =>
          page(name === 'cli' ? 'Commands' : name.charAt(0).toUpperCase() + name.slice(1), `/docs/reference/${name}`),
        ),
      },
      {
        text: 'Behind it',
        items: [
          page('What you may rely on', '/docs/promise'),
          page('Architecture', '/docs/architecture'),
          page('Reliability', '/docs/reliability'),
          page('Measurements', '/docs/measurements'),
          page('Scoreboard', '/docs/scoreboard'),
          page('Decisions', '/docs/decisions/'),
          page('Glossary', '/docs/glossary'),
        ],
      },
    ],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path` },
    outline: [2, 3],
  },
});
