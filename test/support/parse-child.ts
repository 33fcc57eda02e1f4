import { readFileSync } from 'node:fs';
import { errorInfo } from '../../src/base/index.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';

/** What a child says about one file. */
export interface ChildAnswer {
  readonly file: string;
  readonly ms: number;
  readonly peakMegabytes: number;
  /** 'ok', or the code of the error. */
  readonly code: string;
  readonly blocks: number;
  /** Every box and page size is a finite number. */
  readonly finite: boolean;
}

// Parses the files it is told, one after the other, and answers for each: a crash or a hang is then the child's alone.
process.on('message', (request: { file: string; maxMemoryBytes: number }) => {
  void answer(request).then((result) => process.send?.(result));
});

async function answer({ file, maxMemoryBytes }: { file: string; maxMemoryBytes: number }): Promise<ChildAnswer> {
  const start = performance.now();
  let code = 'ok';
  let blocks = 0;
  let finite = true;
  try {
    const document = await parsePdf(readFileSync(file), { maxMemoryBytes });
    blocks = document.blocks.length;
    finite =
      document.pages.every((page) => Number.isFinite(page.width) && Number.isFinite(page.height)) &&
      document.blocks.every((block) => block.regions.every(({ box }) => Object.values(box).every(Number.isFinite)));
  } catch (error) {
    code = errorInfo(error).code;
  }
  return {
    file,
    ms: Math.round(performance.now() - start),
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    code,
    blocks,
    finite,
  };
}
