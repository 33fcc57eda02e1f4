// import … from 'docstokg/testing': suites for your own implementations, a held clock and servers on loopback.
export {
  describeItemSource,
  describeLine,
  describeObjectStore,
  describeQueueStore,
  HeldClock,
  loopbackClient,
  openJsonServer,
  openLoopback,
  sendJson,
} from '../testing/index.ts';
export type { Loopback, ObjectsUnderTest, Received, SeenRequest, SharedItems, SharedLine } from '../testing/index.ts';
