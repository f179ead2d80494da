import { defineDocument } from '../documents/document-print.ts';
import { isProofPayload } from './proof-payload.ts';
import { pagesOf, proofViews } from './proof-view.ts';

/** The proof of a delivery: when, where, who received, and the pictures. */
export const PROOF_PRINT = defineDocument({
  kind: 'proof',
  title: 'Comprobante de entrega',
  template: new URL('proof.hbs', import.meta.url),
  isPayload: isProofPayload,
  pageCount: ({ pictures }) => pagesOf(pictures).length,
  views: proofViews,
  visible: ({ number, pictures, destination }) => ({
    ...{ guia: number, tipo: 'comprobante' },
    ...{ imagenes: pictures.length, destino: destination.code },
  }),
});
