import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The variable that names the folder of the models. */
export const MODELS_VARIABLE = 'SCORE_MODELS';

// Loaded with --import before a scorer: models of the layout that are in that folder replace those of the source.
const folder = process.env[MODELS_VARIABLE] ?? '';
if (folder !== '')
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!resolved.url.endsWith('-model.json')) return resolved;
      const other = join(folder, basename(fileURLToPath(resolved.url)));
      return existsSync(other) ? { ...resolved, url: pathToFileURL(other).href } : resolved;
    },
  });
