import type { Command } from 'commander';
import { Option } from 'commander';

import { decimalNumber, wholeNumber } from '../../whole-number.ts';
import type { StageCommandOptions } from './stage-options.ts';

/** What the stages take on the command line. */
export interface DocparseOptions extends StageCommandOptions {
  readonly input?: string;
  readonly output?: string;
  readonly mode?: string;
  readonly engine?: string;
  readonly engineUrl?: string;
  readonly engineModel?: string;
  readonly engineTimeoutS?: number;
  readonly engineConcurrency?: number;
  readonly engineDpi?: number;
  readonly enginePrompt?: string;
  readonly maxPages?: number;
  readonly memoryLimitMb?: number;
  readonly ocr?: string;
  readonly ocrLanguages?: string;
  readonly markdown?: boolean;
  readonly doclingJson?: boolean;
  readonly html?: boolean;
  readonly tokenizer?: string;
  readonly maxTokens?: number;
  readonly minTokens?: number;
  readonly overlapTokens?: number;
  readonly format?: string;
  readonly dense?: string;
  readonly sparse?: string;
  readonly validateOnly?: boolean;
}

export const inputOption = (command: Command): Command =>
  command.option('-i, --input <path>', 'folder of papers (PDF, HTML, JATS, TEI), or one file');
export const doctagsOptions = (command: Command): Command =>
  command
    .addOption(new Option('--mode <mode>', 'how files are read').choices(['auto', 'pdf', 'html', 'xml']))
    .addOption(new Option('--engine <engine>', 'who reads PDFs').choices(['embedded', 'docling-serve', 'vlm']))
    .option('--engine-url <url>', 'address of that server')
    .option('--engine-model <name>', 'vision model to ask')
    .option('--engine-prompt <text>', 'what the vision model is told to do')
    .option('--engine-dpi <n>', 'dots per inch of the pages it is shown', wholeNumber(1))
    .option('--engine-concurrency <n>', 'pages it reads at once', wholeNumber(1))
    .option('--engine-timeout-s <s>', 'longest time for one request to that server', decimalNumber(0))
    .option('--max-pages <n>', 'refuse PDFs with more pages', wholeNumber(1))
    .option('--memory-limit-mb <n>', 'memory that the reader of one document may use; 0 means no limit', wholeNumber(0))
    .addOption(
      new Option('--ocr <when>', 'read scanned pages with tesseract where it is installed').choices(['off', 'auto']),
    )
    .option('--ocr-languages <codes>', 'languages of scanned pages as tesseract names them')
    .option('--markdown', 'also write Markdown')
    .option('--docling-json', 'also write JSON as docling does')
    .option('--html', 'also write HTML');
export const chunkOptions = (command: Command): Command =>
  command
    .option('--tokenizer <name>', 'whose tokens are counted: model, cl100k, o200k, or a tokenizer.json')
    .option('--max-tokens <n>', 'largest chunk', wholeNumber(1))
    .option('--min-tokens <n>', 'smaller chunks are merged', wholeNumber(0))
    .option('--overlap-tokens <n>', 'tokens said again in the next chunk', wholeNumber(0));
export const formatOption = (command: Command): Command =>
  command.addOption(new Option('--format <format>', 'files of chunks and vectors').choices(['parquet', 'jsonl']));
export const embedOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--dense <engine>', 'who makes dense vectors').choices([
        'embedded',
        'openai-compatible',
        'onnx',
        'none',
      ]),
    )
    .addOption(new Option('--sparse <engine>', 'who makes sparse vectors').choices(['bm25', 'splade', 'none']));
