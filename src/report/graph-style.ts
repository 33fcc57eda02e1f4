/** The style of the graph: a drawing by year, and beside it what is in it. */
export const GRAPH_STYLE = `
.surroundings { display: grid; gap: .6rem; }
.kinds { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .92rem; min-width: 0; }
.kinds legend { float: left; margin-right: 1.2rem; color: var(--soft); padding: 0; }
.kinds label { white-space: nowrap; }
.kinds input { width: auto; accent-color: var(--accent); }
@media (min-width: 60.01rem) { .reader.wide { grid-template-columns: minmax(0, 5fr) minmax(0, 2fr); } }
.reader.wide .desk { padding: .5rem; }
.canvas { position: relative; height: min(70vh, 42rem); min-height: 22rem; background: var(--raised); border-radius: 6px; overflow: hidden; }
.ground { position: absolute; inset: 0 0 1.7rem; }
.still { position: absolute; inset: 0 0 1.7rem; width: 100%; height: calc(100% - 1.7rem); transform-origin: 0 0; pointer-events: none; }
.still[hidden] { display: none; }
.years { position: absolute; inset: auto 0 0; height: 1.7rem; border-top: 1px solid var(--line); overflow: hidden; }
.years span { position: absolute; translate: -50% 0; top: .15rem; font-size: .8rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.around { position: relative; overflow: auto; max-height: calc(min(70vh, 42rem) + 3rem); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1.1rem; background: var(--raised); overscroll-behavior: contain; }
.around h3 { margin: 0 0 .6rem; font-size: 1.05rem; }
.around h4 { margin: 1rem 0 .3rem; font-size: .92rem; color: var(--soft); font-weight: 600; }
.around ul { list-style: none; margin: 0; padding: 0; }
.around section > ul > li + li { border-top: 1px solid var(--line); }
.around details { color: var(--ink); font-size: .92rem; padding: .3rem 0; overflow-wrap: anywhere; }
.around details p, .around details ul { margin: .4rem 0 .2rem; padding-left: 1rem; }
.around details li + li { margin-top: .4rem; }
.around q { font-family: var(--serif); }
@media print { .panel.graph .reader { display: block; } .around { max-height: none; border: 0; padding: 0; } }
`;
