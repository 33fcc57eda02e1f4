/** The style of the viewer: a page on a desk, and beside it what was recognised. */
export const VIEWER_STYLE = `
.viewer { display: grid; gap: .6rem; }
.viewer { scroll-margin-top: 4rem; }
.choice { display: flex; flex-wrap: wrap; gap: .8rem; align-items: end; background: var(--paper); padding-bottom: .4rem; }
@media (min-width: 46.01rem) { .choice { position: sticky; top: 3.2rem; z-index: 1; } .box { scroll-margin-top: 9rem; } }
.choice .field { flex: 1 1 20rem; }
.steps { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.steps .where { padding: 0 .4rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.reader { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; }
.desk { background: var(--sunk); border-radius: 10px; padding: clamp(.5rem, 2vw, 1.5rem); }
.beside { position: relative; min-height: 20rem; }
.sheet { display: block; width: 100%; height: auto; border-radius: 2px; box-shadow: 0 1px 8px #0003; }
.paper { fill: #fff; }
.box { cursor: pointer; --tone: #3f7fb8; }
.box rect { fill: var(--tone); fill-opacity: .07; stroke: var(--tone); stroke-width: .8; stroke-opacity: .7; }
.box .flag { fill-opacity: 0; stroke: none; }
.box text { font: 7px ui-monospace, Menlo, Consolas, monospace; fill: transparent; }
.box:hover rect, .box.lit rect { fill-opacity: .2; stroke-opacity: 1; stroke-width: 1.5; }
.box:hover .flag, .box.lit .flag { fill-opacity: 1; stroke: none; }
.box:hover text, .box.lit text { fill: #fff; }
.printed { color: #24282c; font-family: var(--serif); line-height: 1.2; height: 100%; overflow: hidden; }
.block-title, .block-heading { --tone: #b3400f; }
.block-text { --tone: #1f6fb2; }
.block-list { --tone: #00765a; }
.block-table { --tone: #8a6100; }
.block-picture { --tone: #a0447c; }
.block-caption { --tone: #7a52a8; }
.block-formula, .block-code { --tone: #3a5a40; }
.block-reference, .block-footnote { --tone: #5a6570; }
.block-page { --tone: #777c82; }
.passage { --tone: var(--accent-fill); }
.switch { display: flex; gap: .4rem; margin-bottom: .6rem; }
.switch button { flex: 1; background: none; border: 1px solid var(--line); border-radius: 6px; padding: .35rem .5rem; font-size: .9rem; color: var(--soft); }
.switch [aria-pressed=true] { background: var(--sunk); border-color: var(--accent); color: var(--ink); }
.side { position: absolute; inset: 2.9rem 0 0; overflow: auto; list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); overscroll-behavior: contain; }
.side li { padding: .7rem 1rem; border-left: 4px solid var(--tone); cursor: pointer; font-size: .92rem; white-space: pre-line; }
.side li + li { border-top: 1px solid var(--line); }
.side li:hover, .side li.pointed, .side li[aria-selected=true] { background: var(--sunk); }
.side li:focus-visible { outline-offset: -3px; }
.side small { display: block; margin-bottom: .15rem; }
.flow { background: #fff; color: #1c2126; padding: clamp(1rem, 4vw, 3rem); max-height: 80vh; overflow: auto; font-family: var(--serif); }
.flow .box { border-left: 3px solid transparent; padding-left: .6rem; margin-left: -.8rem; }
.flow .box:hover, .flow .box.lit { border-color: var(--tone); background: #f2f5f8; }
.flow table { font-size: .85rem; } .flow td { border: 1px solid #ccc; padding: .2rem .4rem; }
@media screen and (prefers-color-scheme: dark) {
  .sheet { filter: brightness(.88); }
  .side li { border-left-color: color-mix(in srgb, var(--tone) 70%, white); }
}
@media (max-width: 60rem) {
  .reader { grid-template-columns: minmax(0, 1fr); }
  .beside { min-height: 0; }
  .side { position: static; max-height: 70vh; }
}
`;
