import { registerHooks } from 'node:module';

/** For `node --import`: openapi-typescript needs the compiler's API, which TypeScript has until its version 5. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
