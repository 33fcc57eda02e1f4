import { Command } from 'commander';

import { packageVersion } from '../../base/index.ts';
import { serveOnStdio } from '../../mcp/index.ts';
import { askedRun } from '../../questions/index.ts';
import { openCorpora, requireRun } from '../run-argument.ts';
import { openSession, shared, stopSignal, databaseOptions } from '../session.ts';

export function mcpCommand() {
  return databaseOptions(shared(new Command('mcp')))
    .description('MCP server (stdio) that lets an assistant search, read and cite corpora')
    .argument('[runs...]', 'run folders; default: the newest run')
    .option('--allow-control', 'offer the tool that logs screening decisions')
    .addHelpText(
      'after',
      `
Examples:
  docstokg mcp runs/corals
  docstokg mcp runs/corals runs/fractures

The assistant starts this command; docs/guides/asking-from-an-assistant.md shows how to configure common ones.
`,
    )
    .action(async (folders, { allowControl = false }, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      const named = folders.length > 0 ? folders.map(requireRun) : [undefined];
      await using opened = new AsyncDisposableStack();
      const corpora = await openCorpora(named, session, opened);
      const runs = corpora.map(({ id, corpus }) => opened.use(askedRun(id, corpus, session.tell)));
      session.info(`serving ${runs.map(({ id }) => id).join(', ')} over stdio`);
      await serveOnStdio({ runs, version: packageVersion(), allowControl, tell: session.warn }, stop.signal);
    });
}
