import { STYLE as REPORT_STYLE } from '../report/index.ts';

/** What the live page has besides the parts of the report: stages, trends, events, hits, dialogs. */
const LIVE_STYLE = `
header.slim { padding: 1.2rem 0 .6rem; }
header.slim h1 { font-size: clamp(1.5rem, 4vw, 2.2rem); margin: 0; }
header.slim select { width: auto; max-width: 100%; }
h1:focus-visible { outline: none; }
.connection { margin-left: .6rem; color: var(--good); text-transform: none; letter-spacing: 0; }
.connection::before { content: "● "; }
.connection.away { color: var(--bad); }
.connection.away::before { content: "○ "; }
.places { display: flex; gap: clamp(.9rem, 3vw, 2rem); overflow-x: auto; scrollbar-width: none; list-style: none; margin: 0; padding: 0; }
.places a { display: block; padding: .7rem .1rem .6rem; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; white-space: nowrap; }
.places a:hover { color: var(--ink); }
.places a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
.places a:focus-visible { outline-offset: -3px; }
nav { margin-bottom: 1.4rem; }
.told { margin: 0 0 .8rem; color: var(--good); font-size: .92rem; }
.told:empty { margin: 0; }
.panel > * { margin-bottom: 2rem; }
.panel > .hint, .panel > .tools, .panel > .filters, .panel > form { margin-bottom: .9rem; }
.note[role=alert] { border-left: 4px solid var(--bad); }

.stages { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: 1rem; }
.stage { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem; }
.stage h2 { font: 500 .88rem/1.3 var(--sans); color: var(--soft); margin: 0; }
.stage strong { display: block; font: 600 2.1rem/1.2 var(--serif); font-variant-numeric: lining-nums tabular-nums; }
.stage svg { display: block; width: 100%; height: .5rem; margin: .5rem 0; }
.stage small { display: block; min-height: 2.6em; }
.trend figcaption { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: baseline; margin-bottom: .3rem; font-size: .88rem; }
.trend .legend { margin: 0; font-size: .88rem; }
.trend svg[role=img] { display: block; width: 100%; height: 8rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; }
.trend .ticks { margin: .2rem 0 0; color: var(--soft); font-size: .8rem; }
.trend-line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.trend-line.tone-accent { stroke: var(--accent-fill); } .trend-line.tone-good { stroke: var(--good-fill); }
.trend-line.tone-warn { stroke: var(--warn-fill); } .trend-line.tone-mute { stroke: var(--mute-fill); }
.events { list-style: none; margin: 0; padding: 0; font-size: .92rem; max-height: 26rem; overflow: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.events li { display: grid; grid-template-columns: 5rem 4.5rem minmax(0, 1fr); gap: .6rem; padding: .35rem .9rem; }
.events li + li { border-top: 1px solid var(--line); }
.events time, .events .kind { color: var(--soft); font-variant-numeric: tabular-nums; }
.events .warn .kind { color: var(--warn); } .events .error .kind { color: var(--bad); }

.failures .act, .hosts .act { text-align: right; white-space: nowrap; padding-right: 0; }
.plain td, .plain th { vertical-align: middle; }
tr.gone th, tr.gone td { color: var(--soft); }
.jobs table { margin-top: .6rem; }
.works thead th, .works td[data-name=File], .works td[data-name=Year] { white-space: nowrap; }
.works th[scope=row] { width: 40%; }
.works th .sort, .jobs th .sort, .failures th .sort { text-decoration: underline; text-underline-offset: .18em; text-decoration-thickness: .06em; color: var(--accent); font: inherit; overflow-wrap: anywhere; }
thead th .sort, .works thead th .sort { text-decoration: none; color: inherit; }
.downloads { margin: 0; font-size: .92rem; color: var(--soft); }
dialog.history { width: min(46rem, calc(100vw - 2rem)); max-height: 85vh; overflow: auto; background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: 12px; padding: 1.4rem; }
dialog.history::backdrop { background: #0007; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: .6rem 1.4rem; margin: 0 0 1rem; }
.facts dt { color: var(--soft); font-size: .82rem; } .facts dd { margin: 0; }
.tried { border-top: 1px solid var(--line); padding: .6rem 0; } .tried h3 { font: 600 1rem/1.4 var(--sans); margin: 0; }
.tried ul { margin: .2rem 0; padding-left: 1.1rem; }

.viewer > h2 { margin: 0; }
.viewer .choice { align-items: center; }
.ask { display: flex; gap: .8rem; align-items: stretch; max-width: 52rem; } .ask .search { flex: 1; max-width: none; } .ask button { padding-inline: 1.2rem; border-radius: 10px; }
.narrow { margin: .8rem 0; color: var(--ink); font-size: .92rem; }
.narrow .filters { margin: .6rem 0; }
.check { display: block; } .check input { width: auto; }
.hits { list-style: none; margin: 0; padding: 0; max-width: 52rem; }
.hits li { padding: 1rem 0; border-top: 1px solid var(--line); }
.hits h2 { font-size: 1.12rem; margin: 0; } .hits p { margin: .3rem 0; }
.hits .hint { margin: 0; }
.acts { display: flex; flex-wrap: wrap; gap: .4rem; }
.acts .quiet { font-size: .85rem; padding: .2rem .55rem; }
.mark-box { fill: #ffd54a; fill-opacity: .3; stroke: #c77700; stroke-width: 1.5; pointer-events: none; }

.flow-steps { list-style: none; margin: 0; padding: 0; max-width: 46rem; }
.flow-steps li { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.4rem; align-items: center; }
.flow-steps li + li::before { content: "↓"; grid-column: 1 / -1; color: var(--soft); padding-left: 1.4rem; }
.flow-steps .step, .flow-steps .left { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; background: var(--raised); }
.flow-steps .left { color: var(--soft); font-size: .92rem; }
.flow-steps strong { font: 600 1.4rem/1.2 var(--serif); }
.reasons { list-style: none; margin: 0; padding: 0; } .reasons li + li { border-top: 1px solid var(--line); }
.reasons li { padding: .4rem 0; } .reasons small { display: block; }

@media (max-width: 46rem) {
  .stacked thead { display: none; }
  .stacked tr { display: grid; grid-template-columns: 1fr 1fr; gap: .1rem .8rem; padding: .7rem 0; }
  .stacked th, .stacked td { display: block; padding: .05rem 0; }
  .stacked th { grid-column: 1 / -1; }
  .stacked td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
  .hosts .act { grid-column: 1 / -1; text-align: left; }
  .events li { grid-template-columns: 4.6rem minmax(0, 1fr); } .events .kind { display: none; }
  .flow-steps li { grid-template-columns: 1fr; gap: .4rem; }
  .reader { grid-template-columns: minmax(0, 1fr); }
  .places { gap: 0 1rem; flex-wrap: wrap; font-size: .95rem; } .places a { padding: .35rem .1rem .3rem; }
}
@media print { .places, .told, .connection, .tools button, .acts, dialog { display: none !important; } .events { max-height: none; } }
`;

/** The style of the live page. */
export const STYLE = `${REPORT_STYLE}${LIVE_STYLE}`;
