import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** A browser keeps to https for so long, in seconds; over plain http it ignores this. */
const HSTS_MAX_AGE = 31_536_000;

/** What may be loaded and done in a page, by directive (CSP, Level 3). */
export type PagePolicy = Record<string, string[]>;

/** An answer is data: opened in a browser it loads nothing, runs nothing and stands in no frame. */
const DATA: PagePolicy = { defaultSrc: ["'none'"] };

/**
 * Returns what adds the headers that tell browsers to trust our answers with nothing (OWASP, "REST Security Cheat Sheet").
 *
 * @param policy for a service that has pages; what it leaves out of base, forms and frames is forbidden too.
 */
export function securityHeaders(policy: PagePolicy = DATA) {
  // Made once: the plugin of Fastify makes it anew for each request, and a policy takes time to write.
  const addHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"], ...policy },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // Other hosts of the same domain are not ours to decide about.
    strictTransportSecurity: { maxAge: HSTS_MAX_AGE, includeSubDomains: false },
    // For browsers that no longer exist, and for Flash.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xDnsPrefetchControl: false,
  });
  return (request: IncomingMessage, response: ServerResponse): void =>
    addHeaders(request, response, () => {});
}
