import type * as simulation from '../../sim/index.ts';
import { AppError } from '../base/index.ts';

export type { ManifestLine, Profile, TruthLine, Verification } from '../../sim/index.ts';

type Simulation = typeof simulation;

const open = async (): Promise<Simulation> => import('../../sim/index.ts');

/** Loads the simulator. Rendering its papers needs optional packages. */
export async function loadSimulation(load: () => Promise<Simulation> = open): Promise<Simulation> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !MISSING.has(String(error.code))) throw error;
    throw new AppError('SIM_PACKAGES_MISSING', `the simulated web cannot be loaded: ${error.message.split('\n')[0]}`, {
      hint: 'npm install pdfkit@0.20 fontkit@2 @fontsource/gentium-book-plus@5',
      cause: error,
    });
  }
}

const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
