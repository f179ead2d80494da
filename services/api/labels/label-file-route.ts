import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { KINDS, LABEL_KINDS, MAX_FILE_PAGES, TIPOS } from '#shared/labels/label-kinds.ts';
import { type ImageFormat, type LabelPayload, MEDIA_TYPES } from '#shared/labels/label-payload.ts';
import { pageCount } from '#shared/printing/label-job.ts';
import { auditForeignReads } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { findGuides, requireUncancelled } from '../guides/guide-access.ts';
import { recordAnswers } from '../guides/record-answers.ts';
import { fieldError } from '../http/body.ts';
import { countCut } from '../http/count-actions.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { addVary } from '../http/vary.ts';
import { type LabelFileRequest, parseLabelFileRequest, SHEET } from './label-file-request.ts';
import { labelPayload } from './label-payload.ts';
import {
  callerOf,
  countLabelFailure,
  countLabels,
  fileContent,
  formatParameters,
  packagesOf,
  requestedFormat,
  wantedFormat,
} from './label-request.ts';
import { SHEET_PLACES } from './label-sheet.ts';
import type { LabelsContext } from './open.ts';

/** Longest time to send a file, in ms. A slower client holds up other files of its account. */
const SEND_MS = 120_000;

const body = Type.Object(
  {
    Guias: Type.Array(Type.String({ description: 'Número de guía (SEND_GUIA)' }), {
      minItems: 1,
      maxItems: MAX_GUIDES,
      description: 'Números de guía, en el orden de las páginas',
      examples: [['390458235877', '482913650724']],
    }),
    Tipo: Type.Enum(TIPOS, {
      type: 'string',
      description: LABEL_KINDS.map((kind) => `${KINDS[kind].tipo}: ${KINDS[kind].summary}`).join('. '),
      examples: ['carta'],
    }),
    Hoja: Type.Optional(
      Type.Enum([SHEET], {
        type: 'string',
        description:
          'Cuatro etiquetas de 10 × 10 cm por hoja carta, para impresoras de hojas. Solo con Tipo pequena y en PDF',
      }),
    ),
    Desde: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SHEET_PLACES,
        description:
          'Lugar de la primera hoja en que empiezan las etiquetas, en orden de lectura; 1 si falta. Solo con Hoja',
      }),
    ),
  },
  {
    title: 'SolicitudDeEtiquetas',
    description: 'Guías cuyas etiquetas se imprimen juntas',
    additionalProperties: false,
    'x-examples': {
      cartas: {
        summary: 'Etiquetas carta',
        value: { Guias: ['390458235877', '482913650724'], Tipo: 'carta' },
      },
      hojas: {
        summary: 'En hojas de cuatro etiquetas, de las que ya se usaron dos',
        value: { Guias: ['390458235877', '482913650724'], Tipo: 'pequena', Hoja: SHEET, Desde: 3 },
      },
    },
  },
);

const route = operation({
  id: 'imprimirEtiquetas',
  tag: 'Etiquetas',
  summary: 'Etiquetas de varias guías en un solo archivo',
  description: `En el orden de la solicitud; las de una página por paquete con todos sus paquetes, hasta ${MAX_FILE_PAGES} páginas en total. Todas o ninguna: con una guía desconocida o cancelada no se imprime ninguna. Una guía repetida sale repetida. Una conexión que se corta a la mitad es un archivo incompleto: repita la solicitud, lo ya impreso no se imprime de nuevo. Las etiquetas sueltas tienen preferencia.`,
  permission: 'guias.read',
  action: 'print',
  request: { querystring: Type.Object(formatParameters), body },
  // The words for each problem are those of creation; `parseLabelFileRequest` checks what the schema documents.
  validatedBy: 'handler',
  errors: [
    'format-not-acceptable',
    'one-page-file',
    'invalid-json',
    'numbers-missing',
    'numbers-empty',
    'too-many-guides',
    'field-required',
    'field-type',
    'field-invalid',
    'field-unknown',
    'too-many-file-pages',
    'guide-not-found',
    'guide-cancelled',
    'too-many-pages',
    'overloaded',
    'label-failed',
    'label-late',
    ...BODY_ERRORS,
  ],
  responses: {
    200: {
      description: 'Las etiquetas, en el formato que se pidió',
      headers: {
        Vary: Type.String({ description: 'El formato depende de Accept' }),
        'Content-Disposition': Type.String({ description: 'inline, con nombre de archivo' }),
        'Cache-Control': Type.String({ description: 'private' }),
      },
      content: fileContent,
    },
  },
});

/** `POST /api/guias/etiquetas` (docs/contract.md "Labels"). */
export function labelFileRoute(server: HttpServer, context: LabelsContext): void {
  server.addHook('onError', async (request, _reply, error) => countLabelFailure(context, request, error));
  const recording = recordAnswers(context, (request) => {
    // Not checked yet where the request is refused.
    const { Guias, Tipo } = (request.body ?? {}) as { Guias?: unknown; Tipo?: unknown };
    const query = request.query as Parameters<typeof wantedFormat>[1];
    return {
      asked: 'file',
      ...(TIPOS.some((tipo) => tipo === Tipo) && { tipo: String(Tipo) }),
      ...wantedFormat(request.headers, query),
      guides: Array.isArray(Guias) ? Guias.slice(0, MAX_GUIDES) : [],
    };
  });
  server.post('/api/guias/etiquetas', { ...route, ...recording }, async (request, reply) => {
    const { format, image } = requestedFormat(request.headers, request.query);
    const wanted = parseLabelFileRequest(request.body, format);
    const count = wanted.numbers.length;
    const caller = callerOf(context, request, reply);
    const file = { title: `${count} etiquetas`, format, firstPlace: wanted.firstPlace };
    let labels = 0;
    const pieces = await context.labelFiles.join(caller, file, async () => {
      const found = await findLabels(context, request, { ...wanted, image });
      labels = pagesOf(found);
      return found;
    });
    limitSending(request, reply);
    addVary(reply, 'Accept');
    return reply
      .type(MEDIA_TYPES[format])
      .headers({
        'cache-control': 'private',
        'content-disposition': `inline; filename="guias-${count}.${format}"`,
      })
      .send(
        Readable.from(
          counting(reportingCut(context, request, pieces), () => countLabels(context, request, labels)),
        ),
      );
  });
}

async function findLabels(
  context: LabelsContext,
  request: FastifyRequest,
  { numbers, kind, image }: LabelFileRequest & { image: ImageFormat | undefined },
): Promise<LabelPayload[]> {
  const { guides } = context;
  const records = await findGuides(guides, numbers, apiUser(request));
  requireUncancelled(records);
  const labels = await inTurns(records, (record) =>
    labelPayload(record, { ...packagesOf(kind, record), kind, image }, context),
  );
  const pages = pagesOf(labels);
  if (pages > MAX_FILE_PAGES) throw new DomainError('too-many-file-pages', { params: { pages } });
  if (image?.format === 'png' && pages > 1) throw fieldError('formato', 'one-page-file', { pages });
  auditForeignReads(context, request, 'label.read-other', records);
  return labels;
}

function pagesOf(labels: readonly LabelPayload[]): number {
  return labels.reduce((sum, label) => sum + pageCount(label), 0);
}

/** @param count is called when the connection has taken the whole file. */
async function* counting(pieces: AsyncGenerator<Buffer>, count: () => void): AsyncGenerator<Buffer> {
  yield* pieces;
  count();
}

function limitSending({ log }: FastifyRequest, { raw }: FastifyReply): void {
  const timer = setTimeout(() => {
    log.warn(`A file of labels was cut: its client did not take it within ${SEND_MS} ms`);
    raw.destroy();
  }, SEND_MS);
  raw.once('close', () => clearTimeout(timer));
}

/** Counts and logs an error after the answer has begun. The cut connection shows it to the client. */
async function* reportingCut(
  context: LabelsContext,
  request: FastifyRequest,
  pieces: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    countLabelFailure(context, request, error as Error);
    countCut(context, request, error as Error);
    request.log.error({ err: error }, 'A file of labels was cut: one of its labels could not be had again');
    throw error;
  }
}
