import { GRAPH_STYLE } from './graph-style.ts';
import { VIEWER_STYLE } from './viewer-style.ts';

/**
 * Colours after Okabe and Ito, which readers with any colour vision can tell apart, darkened on paper and lightened at
 * night until text on them and in them has a contrast of 4.5 or more. Fonts are those of the reader's machine.
 */
const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --raised: #ffffff; --sunk: #f1efe9; --line: #dfdad0; --ink: #1c2126; --soft: #575d64;
  --accent: #0b5a9e; --good: #00714f; --bad: #a8480a; --warn: #8a6100; --mute: #6a6f75; --mark: #ffe9a8;
  --accent-fill: #2f7fc1; --good-fill: #2a9d78; --bad-fill: #d0632a; --warn-fill: #dba423; --mute-fill: #a7abb0;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", "URW Palladio L", Georgia, "Gentium Book Plus", "Gentium Plus", serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --raised: #1b1f23; --sunk: #21262b; --line: #343a41; --ink: #e7e4dd; --soft: #a9aeb4;
    --accent: #86bdf2; --good: #67cfa9; --bad: #f29b6a; --warn: #ecc565; --mute: #a0a5ab; --mark: #5c4a12;
    --accent-fill: #4d97d8; --good-fill: #37a883; --bad-fill: #d97340; --warn-fill: #d9a93a; --mute-fill: #6d747b;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
#report { max-width: 76rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem) 3rem; }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--ink); color: var(--paper); z-index: 3; }
.skip:focus { top: .5rem; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus-visible { outline: none; }
h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(2rem, 6vw, 3.4rem); margin: .2rem 0 .6rem; letter-spacing: -.015em; }
h2 { font-size: 1.35rem; margin: 0 0 .8rem; }
small { color: var(--soft); font-size: .82rem; }
header { padding: clamp(1.8rem, 5vw, 3.2rem) 0 1.2rem; }
.eyebrow { margin: 0; color: var(--soft); font-size: .82rem; letter-spacing: .08em; text-transform: uppercase; }
.lede { color: var(--soft); font-size: 1.06rem; max-width: 50rem; text-wrap: pretty; margin: 0 0 1.2rem; }
.hint { color: var(--soft); font-size: .88rem; margin: .4rem 0; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }

input, select, button { font: inherit; color: inherit; }
input, select { width: 100%; background: var(--raised); border: 1px solid var(--mute); border-radius: 6px; padding: .5rem .7rem; }
::placeholder { color: var(--soft); opacity: 1; }
button { cursor: pointer; }
button.quiet { background: none; border: 1px solid var(--line); border-radius: 6px; padding: .35rem .7rem; }
button.quiet:hover:enabled { border-color: var(--accent); color: var(--accent); }
button:disabled { color: var(--mute); cursor: default; }
.field { display: block; flex: 1 1 12rem; min-width: 0; }
.field > span { display: block; color: var(--soft); font-size: .82rem; margin-bottom: .2rem; }
.filters { display: flex; flex-wrap: wrap; gap: .8rem; }

.search { position: relative; max-width: 44rem; }
.search input { font-size: 1.1rem; padding: .85rem 3rem .85rem 1.1rem; border-radius: 10px; box-shadow: 0 1px 2px #0001; }
.search kbd { position: absolute; right: .9rem; top: 50%; translate: 0 -50%; border: 1px solid var(--line); border-radius: 4px; padding: 0 .45rem; color: var(--soft); font: .85rem/1.5 var(--sans); pointer-events: none; }
.search input:focus + kbd { visibility: hidden; }
#results { max-width: 44rem; margin-top: .6rem; }
#results ol { list-style: none; margin: 0; padding: 0; background: var(--raised); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
#results li + li { border-top: 1px solid var(--line); }
#results a { display: block; padding: .8rem 1.1rem; color: inherit; text-decoration: none; }
#results a:hover, #results a:focus { background: var(--sunk); outline-offset: -3px; }
#results strong { display: block; font-family: var(--serif); font-size: 1.05rem; color: var(--accent); line-height: 1.3; }
#results small { display: block; margin: .1rem 0 .3rem; }
#results span { font-size: .92rem; }
mark { background: var(--mark); color: inherit; border-radius: 2px; padding: 0 .1em; }

nav { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--line); margin-bottom: 2rem; }
[role=tablist] { display: flex; gap: clamp(.9rem, 3vw, 2rem); overflow-x: auto; scrollbar-width: none; }
[role=tab] { flex: none; padding: .8rem .1rem .7rem; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
[role=tab]:hover { color: var(--ink); }
[role=tab][aria-selected=true] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
[role=tab]:focus-visible { outline-offset: -3px; }
.panel > *, .panel > .figures { margin-bottom: 2.6rem; }
.panel > .hint, .panel > .filters, .panel > .lede { margin-bottom: .8rem; }
.panel > .legend { margin: 0 0 1rem; }
.panel > table + button { margin-top: -1.2rem; }
.note { background: var(--sunk); border-radius: 10px; padding: 1rem 1.4rem; font-size: .92rem; }
.note h3 { margin: 0 0 .3rem; font-size: 1rem; }
.note ul { margin: 0; padding-left: 1.1rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.4rem 3.5rem; align-items: start; }

.newspaper { columns: 2 24rem; column-gap: 3.5rem; }
.newspaper > section { break-inside: avoid; margin-bottom: 2.6rem; }

.figures { display: flex; flex-wrap: wrap; gap: 1.6rem 3rem; margin: 0; }
.figures dt { color: var(--soft); font-size: .88rem; }
.figures dd { margin: 0; max-width: 12rem; }
.figures strong { display: block; font: 600 clamp(2.1rem, 5vw, 2.9rem)/1.1 var(--serif); font-variant-numeric: lining-nums; }
.figures span { color: var(--soft); font-size: .85rem; line-height: 1.35; display: block; }

.tone-accent .fill, .fill.tone-accent { fill: var(--accent-fill); }
.tone-good .fill, .fill.tone-good { fill: var(--good-fill); }
.tone-bad .fill, .fill.tone-bad { fill: var(--bad-fill); }
.tone-warn .fill, .fill.tone-warn { fill: var(--warn-fill); }
.tone-mute .fill, .fill.tone-mute { fill: var(--mute-fill); }
.track { fill: var(--sunk); }
.stack { display: block; width: 100%; height: 1.9rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; list-style: none; margin: .7rem 0 0; padding: 0; font-size: .92rem; color: var(--soft); }
.legend strong { color: var(--ink); }
.key { width: .75rem; height: .75rem; margin-right: .5rem; vertical-align: -.05rem; }

table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); font-size: .85rem; padding-bottom: .3rem; }
th { font-weight: inherit; text-align: left; }
td, th { padding: .45rem .8rem .45rem 0; vertical-align: top; }
thead th { color: var(--soft); font-size: .82rem; border-bottom: 1px solid var(--line); }
tbody tr + tr { border-top: 1px solid var(--line); }
td small, th small { display: block; }
.count { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-right: 0; }
.bars tr, .bars tbody tr + tr { border: 0; }
.bars td, .bars th { padding-block: .28rem; }
.bars th { width: 42%; line-height: 1.35; }
.bars .bar svg { display: block; width: 100%; height: .8rem; margin-top: .35rem; }
.bars .count { width: 3.5rem; }
.plain th { line-height: 1.4; }
.retracted { color: var(--bad); font-weight: 600; }
.outcome { white-space: nowrap; font-weight: 600; color: var(--mute); }
.outcome::before { content: "○ "; }
.outcome.saved { color: var(--good); } .outcome.saved::before { content: "● "; }
.outcome.failed { color: var(--bad); } .outcome.failed::before { content: "✕ "; }
.outcome.parked { color: var(--warn); } .outcome.parked::before { content: "◔ "; }
.works th[scope=row] { width: 46%; }
.tools { display: flex; flex-wrap: wrap; gap: .8rem; align-items: center; justify-content: space-between; }
.panel > .tools { margin-bottom: .8rem; }
.sort { background: none; border: 0; padding: 0; color: inherit; text-align: left; }
.sort:hover { color: var(--accent); }
[aria-sort] .sort::after { content: " ↕"; opacity: .7; }
[aria-sort=ascending] .sort::after { content: " ↑"; opacity: 1; }
[aria-sort=descending] .sort::after { content: " ↓"; opacity: 1; }
.works td { font-size: .92rem; }
details { font-size: .85rem; color: var(--soft); }
details ul { margin: .2rem 0; padding-left: 1.1rem; }
summary { cursor: pointer; }

.lanes th[scope=row] { width: 17rem; font-size: .86rem; line-height: 1.3; }
.lanes th.count, .lanes td.count { padding-left: 1.2rem; font-size: .88rem; vertical-align: middle; }
.lanes td.lane { padding-block: .3rem; vertical-align: middle; }
.lane svg { display: block; width: 100%; height: 1.75rem; }
.ticks { display: flex; justify-content: space-between; }
.sent { fill: var(--accent-fill); } .refused { fill: var(--bad-fill); stroke: var(--paper); stroke-width: .6; } .failed { fill: var(--warn-fill); }
td .failed, .key .failed { fill: var(--warn-fill); }
.hold.asked { fill: url(#hatch-asked); } .hold.failing { fill: url(#hatch-failing); }
.hatch-asked-ground, .hatch-failing-ground { fill: var(--sunk); } .hatch-asked-line { fill: var(--bad-fill); } .hatch-failing-line { fill: var(--mute-fill); }
.patterns { position: absolute; }
figure { margin: 0; }
figcaption { color: var(--soft); font-size: .82rem; }
.histogram { display: block; width: 100%; max-height: 11rem; }
.histogram text { fill: var(--soft); font: 11px var(--sans); text-anchor: middle; }
.histogram .value { fill: var(--ink); }
.histogram .fill { opacity: .55; } .histogram .median { opacity: 1; }
.base { stroke: var(--line); }

@media (max-width: 46rem) {
  .works thead, .lanes thead { display: none; }
  .works tr, .lanes tr { display: grid; padding: .7rem 0; }
  .works th, .works td, .lanes th, .lanes td { display: block; padding: .1rem 0; width: auto !important; }
  .works td::before { content: attr(data-name) ": "; color: var(--soft); }
  .works td details, .works td small { display: inline-block; margin-left: .5rem; }
  .lanes tr { grid-template-columns: repeat(4, 1fr); gap: .2rem .5rem; }
  .lanes tr > :nth-child(-n+2) { grid-column: 1 / -1; }
  .lanes td.count { text-align: left; padding: 0; white-space: normal; }
  .lanes td.count::before { content: attr(data-name); display: block; color: var(--soft); font-size: .78rem; }
  .bars th { width: 50%; }
  [role=tablist] { gap: .5rem; font-size: .86rem; justify-content: space-between; }
  .figures { display: grid; grid-template-columns: 1fr 1fr; gap: 1.4rem 1rem; }
  .steps .word { display: none; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  nav, .search, #results, .skip, .filters, button, .panel.documents { display: none !important; }
  .panel[hidden] { display: block !important; }
  body { font-size: 10pt; background: none; }
  .panel section, tr, figure, .note { break-inside: avoid; }
}
`;

/** The page's style. */
export const STYLE = `${BASE_STYLE}${VIEWER_STYLE}${GRAPH_STYLE}`;
