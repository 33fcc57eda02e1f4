// import … from 'docstokg/resolve': from a work to the URLs worth trying; write a resolver of your own.
export { chooseResolvers, plan, problemsOf } from '../resolve/index.ts';
export type {
  Checksum,
  Expectation,
  Finding,
  Plan,
  Question,
  ResolveContext,
  Resolver,
  ResolverChoice,
} from '../resolve/index.ts';
