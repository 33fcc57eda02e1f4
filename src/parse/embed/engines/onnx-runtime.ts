import { availableParallelism } from 'node:os';

import type * as OnnxRuntime from 'onnxruntime-node';
import type { InferenceSession, Tensor } from 'onnxruntime-node';

import { AppError } from '../../../base/index.ts';

/** What is used of onnxruntime: a model that maps named tensors to named tensors. */
export interface OnnxSession extends AsyncDisposable {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  run(feeds: Readonly<Record<string, IntegerTensor>>): Promise<Readonly<Record<string, FloatTensor>>>;
}

/** Integers by rows, as ids and masks are. */
export interface IntegerTensor {
  readonly data: BigInt64Array;
  readonly shape: readonly number[];
}

interface FloatTensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Loads a model, from a file or from bytes. `threads` 0 means one for each core this process may use. */
export async function openOnnxSession(model: string | Uint8Array, threads: number): Promise<OnnxSession> {
  const runtime = await loadRuntime();
  const options: InferenceSession.SessionOptions = {
    // onnxruntime itself would count the cores of the machine, whatever a container or a task set leaves of them.
    intraOpNumThreads: threads === 0 ? availableParallelism() : threads,
    interOpNumThreads: 1,
    executionProviders: ['cpu'],
    // 3 = errors only: the runtime's warnings are about choices nobody here can make.
    logSeverityLevel: 3,
    // Threads that wait by spinning burn the other core for nothing.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  let session: InferenceSession;
  try {
    session = await (typeof model === 'string'
      ? runtime.InferenceSession.create(model, options)
      : runtime.InferenceSession.create(model, options));
  } catch (cause) {
    const which = typeof model === 'string' ? model : 'the embedded model';
    throw new AppError('MODEL_UNREADABLE', `onnxruntime cannot load ${which}`, {
      hint: 'check that it is a complete ONNX model with float32 outputs',
      cause,
    });
  }
  return {
    inputs: session.inputNames,
    outputs: session.outputNames,
    async run(feeds) {
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([name, { data, shape }]) => [name, new runtime.Tensor('int64', data, shape)]),
      );
      const results = await session.run(tensors);
      return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, floats(name, tensor)]));
    },
    async [Symbol.asyncDispose]() {
      await session.release();
    },
  };
}

function floats(name: string, tensor: Tensor): FloatTensor {
  if (!(tensor.data instanceof Float32Array)) {
    throw new AppError('MODEL_UNREADABLE', `output ${name} of the model is ${tensor.type}, not float32`, {
      hint: 'export the model with float32 outputs',
    });
  }
  return { data: tensor.data, shape: tensor.dims };
}

/** Loads the package that runs models, or says why it cannot be. */
export async function loadRuntime(): Promise<typeof OnnxRuntime> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw runtimeFault(cause, `${process.platform} ${process.arch}`);
  }
}

const INSTEAD = 'use an embedding server, or search by words alone (--lexical)';

/** Why the runtime cannot be loaded: its package is not there, or there is and was not built for this platform. */
function runtimeFault(cause: unknown, platform: string): AppError {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const isNative = code === 'ERR_DLOPEN_FAILED' || /onnxruntime_binding|\.node\b/.test(String(message));
  if (isNative)
    return new AppError('ONNX_NO_BUILD', `onnxruntime-node is installed but has no build for ${platform}`, {
      hint: INSTEAD,
      cause,
    });
  return new AppError('ONNX_NOT_INSTALLED', 'dense vectors need onnxruntime-node, which is not installed', {
    hint: `npm install onnxruntime-node@~1.30.0, ${INSTEAD}`,
    cause,
  });
}
