import {
  type Guide,
  guideAjv,
  MAX_GUIDES,
  SERVICE_TYPES,
  SentGuide,
  type ServiceType,
} from '#shared/contracts/guide.ts';
import { ProblemList } from '#shared/errors.ts';
import { addProblems, arrayIn, blame, isAbsent, tidy, tidyFields } from './body.ts';
import { normalizeGuide, tidyGuide } from './guide-forms.ts';
import { addUnprintable } from './unprintable-texts.ts';

const REQUEST_FIELDS: ReadonlySet<string> = new Set(['TipoServicio', 'Guia']);

const isSentGuide = guideAjv({ allErrors: true, verbose: true }).compile<Guide>(SentGuide);

export type GuideRequest = {
  service: ServiceType;
  /** As they are stored. */
  guides: Guide[];
  /** Unknown fields that were left out, where they are not refused, and texts that labels do not print whole. */
  warnings: ProblemList;
};

/**
 * Checks the body of a creation request step by step (docs/contract.md "Guides"): the array, the service type, then
 * all fields of all guides together.
 *
 * @param body parsed JSON, of any shape.
 * @param lenient leaves unknown fields out in place of refusing them (docs/contract.md "Guides").
 * @throws DomainError of the first step that fails; `guides-invalid` names the fields that are wrong.
 */
export function parseGuideRequest(body: unknown, lenient = false): GuideRequest {
  const sent = arrayIn(body, 'Guia', MAX_GUIDES, [
    'guia-array-missing',
    'guia-array-empty',
    'too-many-guides',
  ]);
  const request = body as Record<string, unknown>;
  const service = parseServiceType(request.TipoServicio);
  const problems = new ProblemList();
  const warnings = new ProblemList();
  const unknown = lenient ? warnings : problems;
  tidyFields(request, REQUEST_FIELDS, unknown);
  const guides = sent.map((each, indice) => {
    const guide = tidyGuide(each, indice, unknown);
    if (isSentGuide(guide)) {
      normalizeGuide(guide);
      addUnprintable(warnings, indice, guide);
    } else addProblems(problems, isSentGuide.errors, { indice });
    return guide as Guide;
  });
  problems.throwIfAny('guides-invalid');
  return { service, guides, warnings };
}

function parseServiceType(value: unknown): ServiceType {
  const text = tidy(value);
  if (isAbsent(text)) throw blame('TipoServicio', 'service-type-missing');
  const service = SERVICE_TYPES.find((type) => type === text);
  if (!service) throw blame('TipoServicio', 'service-type-unknown');
  return service;
}
