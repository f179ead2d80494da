import { defineDocument } from '../documents/document-print.ts';
import { isManifestPayload } from './manifest-payload.ts';
import { manifestViews, pagesOf } from './manifest-view.ts';

/** The list of a manifest, for signature and stamp. */
export const MANIFEST_PRINT = defineDocument({
  kind: 'manifest',
  title: 'Manifiesto',
  template: new URL('manifest.hbs', import.meta.url),
  isPayload: isManifestPayload,
  pageCount: (payload) => pagesOf(payload).length,
  views: manifestViews,
  visible: ({ number, guides, origin }) => ({
    ...{ guia: number, tipo: 'manifiesto' },
    ...{ guias: guides.length, origen: origin.code },
  }),
});
