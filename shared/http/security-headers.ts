import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** In seconds. Over plain http a browser ignores it. */
const HSTS_MAX_AGE = 31_536_000;

/** By directive (CSP, Level 3). */
export type PagePolicy = Record<string, string[]>;

const NONE = ["'none'"];
/** An answer that is opened in a browser loads nothing, runs nothing and stands in no frame. */
const DATA: PagePolicy = { 'default-src': NONE };

/** Returns the policy of a page that loads our style sheet and contains its pictures. @param more is added to it. */
export function pagePolicy(more: PagePolicy = {}): PagePolicy {
  return {
    'default-src': NONE,
    'style-src': ["'self'"],
    'img-src': ['data:'],
    'base-uri': NONE,
    'form-action': NONE,
    'frame-ancestors': NONE,
    ...more,
  };
}

/** Formats a policy as header, for single pages of a service that answers with data. */
export function policyHeader(policy: PagePolicy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ');
}

/**
 * Adds the headers of OWASP's "REST Security Cheat Sheet".
 * @param policy for a service with pages. Base, forms and frames are forbidden unless the policy names them.
 */
export function securityHeaders(policy: PagePolicy = DATA) {
  // Made once: Fastify's plugin would write the policy anew for each request.
  const addHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'base-uri': NONE, 'form-action': NONE, 'frame-ancestors': NONE, ...policy },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // We do not decide for other hosts of the same domain.
    strictTransportSecurity: { maxAge: HSTS_MAX_AGE, includeSubDomains: false },
    // For browsers that no longer exist, and for Flash.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xDnsPrefetchControl: false,
  });
  return (request: IncomingMessage, response: ServerResponse): void =>
    addHeaders(request, response, () => {});
}
