import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadSimulation } from './simulation.ts';

test('if packages of the simulated web are missing, the error lists which to install', async () => {
  const missing = Object.assign(new Error("Cannot find package 'pdfkit' imported from paint.ts\nmore"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await assert.rejects(
    loadSimulation(() => Promise.reject(missing)),
    {
      code: 'SIM_PACKAGES_MISSING',
      message: "the simulated web cannot be loaded: Cannot find package 'pdfkit' imported from paint.ts",
      hint: 'npm install pdfkit@0.20 fontkit@2 @fontsource/gentium-book-plus@5',
    },
  );
  const broken = new Error('broken');
  await assert.rejects(
    loadSimulation(() => Promise.reject(broken)),
    broken,
  );
});
