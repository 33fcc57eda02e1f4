import { SIMULATED } from '../paper.ts';
import type { Paper } from '../paper.ts';
import { OWN_JOURNAL } from '../references.ts';
import { arxivArticle } from './arxiv-article.ts';
import { licenseUrl, lines, markup } from './markup.ts';
import type { Markup } from './markup.ts';
import { ojsArticle } from './ojs-article.ts';

/** The paper as a web page with navigation: a journal page, or arXiv's HTML. */
export function renderHtml(paper: Paper, style: 'ojs' | 'arxiv'): string {
  const page = lines([head(paper), style === 'ojs' ? ojsPage(paper) : arxivPage(paper)]);
  const open = markup`<html lang="${paper.language}" xmlns="http://www.w3.org/1999/xhtml">`;
  return `<!DOCTYPE html>\n${open.text}\n${page.text}\n</html>\n`;
}

function head(paper: Paper): Markup {
  const { spec } = paper;
  const journal = spec.journal ?? OWN_JOURNAL;
  const meta = (name: string, content: string | undefined): Markup | undefined =>
    content ? markup`<meta name="${name}" content="${content}"/>` : undefined;
  return markup`<head>${lines([
    markup`<meta charset="utf-8"/>`,
    markup`<title>${spec.title} | ${journal}</title>`,
    meta('generator', SIMULATED),
    meta('citation_title', spec.title),
    ...spec.authors.map(({ name }) => meta('citation_author', name)),
    meta('citation_journal_title', journal),
    meta('citation_publication_date', `${spec.year}/01/15`),
    meta('citation_doi', spec.doi),
    meta('citation_arxiv_id', spec.arxivId),
    meta('citation_language', paper.language),
    markup`<style>body { font-family: serif; margin: 0 } nav a { margin-right: 1em }</style>`,
  ])}</head>`;
}

const link = (text: string): Markup => markup`<a href="#">${text}</a>`;
const list = (...texts: readonly string[]): Markup =>
  markup`<ul>${texts.map((text) => markup`<li>${link(text)}</li>`)}</ul>`;

function ojsPage(paper: Paper): Markup {
  const { spec } = paper;
  const journal = spec.journal ?? OWN_JOURNAL;
  const url = licenseUrl(spec.license);
  const sidebar = lines([
    markup`
      <div class="pkp_block block_make_submission">
      <h2 class="pkp_screen_reader">Make a Submission</h2>${link('Make a Submission')}</div>`,
    markup`
      <div class="pkp_block block_information"><span class="title">Information</span>
      ${list('For Readers', 'For Authors', 'For Librarians')}</div>`,
    markup`
      <div class="pkp_block block_most_read"><span class="title">Most read articles</span>
      ${list('An invented article on nothing in particular', 'Another article that does not exist')}</div>`,
  ]);
  return markup`<body class="pkp_page_article pkp_op_view">${lines([
    markup`<div class="cmp_skip_to_content">${link('Skip to main content')}</div>`,
    markup`
      <header class="pkp_structure_head"><div class="pkp_site_name">${link(journal)}</div>
      <nav class="pkp_site_nav_menu">
      ${list('Current', 'Archives', 'Announcements', 'About', 'Register', 'Login')}</nav></header>`,
    markup`<div class="pkp_structure_content">`,
    markup`
      <main class="pkp_structure_main" id="pkp_content_main">
      <nav class="cmp_breadcrumbs">${list('Home', 'Archives', `Vol. ${paper.volume} (${spec.year})`)}</nav>
      ${ojsArticle(paper)}</main>`,
    markup`<aside class="pkp_structure_sidebar">${sidebar}</aside>`,
    markup`</div>`,
    markup`
      <footer class="pkp_structure_footer"><p>${SIMULATED}. ${journal}. ISSN 0000-0000.</p>
      ${url && markup`<p><a rel="license" href="${url}">Licence</a></p>`}</footer>`,
  ])}</body>`;
}

function arxivPage(paper: Paper): Markup {
  const { arxivId } = paper.spec;
  const contents = paper.sections
    .filter(({ level }) => level === 1)
    .map(({ id, number, title }) => markup`<li class="ltx_tocentry"><a href="#${id}">${number} ${title}</a></li>`);
  return markup`<body>${lines([
    markup`
      <header class="desktop_header"><div class="html-header-logo">${link('Back to arXiv')}</div>
      <nav class="html-header-nav">
      ${list('Why HTML?', 'Report Issue', 'Back to Abstract', 'Download PDF')}</nav></header>`,
    markup`
      <nav class="ltx_page_navbar"><nav class="ltx_TOC"><ol class="ltx_toclist">${contents}</ol></nav></nav>`,
    markup`<div class="ltx_page_main"><div class="ltx_page_content">${arxivArticle(paper)}</div></div>`,
    markup`
      <footer class="ltx_page_footer">
      <p>${SIMULATED}. Instructions for reporting errors${arxivId && ` in arXiv:${arxivId}`}.</p></footer>`,
  ])}</body>`;
}
