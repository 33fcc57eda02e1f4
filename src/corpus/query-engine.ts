import { AppError, canonicalJson } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { MaybeEngine, ModelIdentity } from '../parse/index.ts';
import { embeddedPrecision, openDenseEngineIfInstalled } from '../parse/index.ts';
import { denseSettings } from './parse-settings.ts';

/**
 * Opens the model that made an index's vectors, to embed questions with it: the embedded one as it was run then, whatever
 * the settings say now, and any other one where the settings lead to it.
 */
export async function openQueryEngine(
  config: Config,
  model: ModelIdentity,
  signal?: AbortSignal,
): Promise<MaybeEngine> {
  const precision = embeddedPrecision(model);
  const settings = precision
    ? ({ engine: 'embedded', precision, threads: config.parse.threads } as const)
    : denseSettings(config);
  if (!settings || (!precision && settings.engine === 'embedded')) return { kind: 'missing', reason: other(model) };
  const opened = await openDenseEngineIfInstalled(settings, signal);
  if (opened.kind === 'missing' || isSame(opened.engine.model, model)) return opened;
  await opened.engine[Symbol.asyncDispose]();
  return { kind: 'missing', reason: other(model) };
}

/** The embedded model finds its vectors in any precision: where only WebAssembly runs, int8 vectors are asked in fp32. */
function isSame(opened: ModelIdentity, wanted: ModelIdentity): boolean {
  const precision = embeddedPrecision(wanted) && embeddedPrecision(opened) ? wanted.precision : opened.precision;
  return canonicalJson({ ...opened, precision }) === canonicalJson(wanted);
}

function other({ name, revision, precision }: ModelIdentity): AppError {
  const full = [name, revision, precision].filter(Boolean).join(', ');
  return new AppError('INDEX_MODEL', `the passages were embedded with another model than the configured one: ${full}`, {
    hint: 'set parse.dense, parse.embed_url and parse.embed_model to it, or search with --lexical',
  });
}
