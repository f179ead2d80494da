/** The files of `*.worker.ts` by the names before it; `build.ts` of the room puts them here. */
declare const WORKERS: Readonly<Record<string, string>>;

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string;
  };
};
const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
/** The one text that becomes code: a file of our own. */
const policy = types?.createPolicy('mostrador', { createScriptURL: (url) => url });

/** Starts a worker by the name of its source before `.worker.ts`, wherever that stands. Names are unique. */
export function startWorker(name: string): Worker {
  const url = `/mostrador/${WORKERS[name]}`;
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
}
