import { SIMULATED } from '../paper.ts';
import type { Paper } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import { arxivArticle } from './arxiv-article.ts';
import { licenseUrl } from './xml-text.ts';
import { ojsArticle } from './ojs-article.ts';
import { element as tag, escapeXml } from './xml-text.ts';

/** The paper as a web page with navigation: a journal page, or arXiv's HTML. */
export function renderHtml(paper: Paper, style: 'ojs' | 'arxiv'): string {
  const body = style === 'ojs' ? ojsPage(paper) : arxivPage(paper);
  return `<!DOCTYPE html>\n${tag('html', { lang: paper.language, xmlns: 'http://www.w3.org/1999/xhtml' }, `\n${head(paper)}\n${body}\n`)}\n`;
}

function head(paper: Paper): string {
  const { spec } = paper;
  const meta = (name: string, content: string | undefined): string => (content ? tag('meta', { name, content }) : '');
  return tag(
    'head',
    {},
    [
      tag('meta', { charset: 'utf-8' }),
      tag('title', {}, escapeXml(`${spec.title} | ${spec.journal ?? OWN_JOURNAL}`)),
      meta('generator', SIMULATED),
      meta('citation_title', spec.title),
      ...spec.authors.map(({ name }) => meta('citation_author', name)),
      meta('citation_journal_title', spec.journal ?? OWN_JOURNAL),
      meta('citation_publication_date', `${String(spec.year)}/01/15`),
      meta('citation_doi', spec.doi),
      meta('citation_arxiv_id', spec.arxivId),
      meta('citation_language', paper.language),
      tag('style', {}, 'body { font-family: serif; margin: 0 } nav a { margin-right: 1em }'),
    ]
      .filter(Boolean)
      .join('\n'),
  );
}

const link = (text: string): string => tag('a', { href: '#' }, escapeXml(text));
const list = (...texts: readonly string[]): string =>
  tag('ul', {}, texts.map((text) => tag('li', {}, link(text))).join(''));

function ojsPage(paper: Paper): string {
  const { spec } = paper;
  const journal = spec.journal ?? OWN_JOURNAL;
  const url = licenseUrl(spec.license);
  const sidebar = [
    tag(
      'div',
      { class: 'pkp_block block_make_submission' },
      tag('h2', { class: 'pkp_screen_reader' }, 'Make a Submission') + link('Make a Submission'),
    ),
    tag(
      'div',
      { class: 'pkp_block block_information' },
      tag('span', { class: 'title' }, 'Information') + list('For Readers', 'For Authors', 'For Librarians'),
    ),
    tag(
      'div',
      { class: 'pkp_block block_most_read' },
      tag('span', { class: 'title' }, 'Most read articles') +
        list('An invented article on nothing in particular', 'Another article that does not exist'),
    ),
  ];
  return tag(
    'body',
    { class: 'pkp_page_article pkp_op_view' },
    [
      tag('div', { class: 'cmp_skip_to_content' }, link('Skip to main content')),
      tag(
        'header',
        { class: 'pkp_structure_head' },
        tag('div', { class: 'pkp_site_name' }, link(journal)) +
          tag(
            'nav',
            { class: 'pkp_site_nav_menu' },
            list('Current', 'Archives', 'Announcements', 'About', 'Register', 'Login'),
          ),
      ),
      tag(
        'div',
        { class: 'pkp_structure_content' },
        `\n${tag('main', { class: 'pkp_structure_main', id: 'pkp_content_main' }, tag('nav', { class: 'cmp_breadcrumbs' }, list('Home', 'Archives', `Vol. ${String(paper.volume)} (${String(spec.year)})`)) + ojsArticle(paper))}\n${tag('aside', { class: 'pkp_structure_sidebar' }, sidebar.join('\n'))}\n`,
      ),
      tag(
        'footer',
        { class: 'pkp_structure_footer' },
        tag('p', {}, escapeXml(`${SIMULATED}. ${journal}. ISSN 0000-0000.`)) +
          (url ? tag('p', {}, tag('a', { rel: 'license', href: url }, 'Licence')) : ''),
      ),
    ].join('\n'),
  );
}

function arxivPage(paper: Paper): string {
  const { spec } = paper;
  const contents = paper.sections
    .filter((section) => section.level === 1)
    .map((section) =>
      tag(
        'li',
        { class: 'ltx_tocentry' },
        tag('a', { href: `#${section.id}` }, escapeXml(`${section.number} ${section.title}`)),
      ),
    );
  return tag(
    'body',
    {},
    [
      tag(
        'header',
        { class: 'desktop_header' },
        tag('div', { class: 'html-header-logo' }, link('Back to arXiv')) +
          tag(
            'nav',
            { class: 'html-header-nav' },
            list('Why HTML?', 'Report Issue', 'Back to Abstract', 'Download PDF'),
          ),
      ),
      tag(
        'nav',
        { class: 'ltx_page_navbar' },
        tag('nav', { class: 'ltx_TOC' }, tag('ol', { class: 'ltx_toclist' }, contents.join(''))),
      ),
      tag('div', { class: 'ltx_page_main' }, tag('div', { class: 'ltx_page_content' }, arxivArticle(paper))),
      tag(
        'footer',
        { class: 'ltx_page_footer' },
        tag(
          'p',
          {},
          escapeXml(
            `${SIMULATED}. Instructions for reporting errors${spec.arxivId ? ` in arXiv:${spec.arxivId}` : ''}.`,
          ),
        ),
      ),
    ].join('\n'),
  );
}
