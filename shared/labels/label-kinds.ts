/**
 * The kinds of label: their names on the wire, and their pages (docs/contract.md "Labels"). The label worker's
 * `label/templates/<kind>.hbs` defines the paper. For a new kind see docs/labels.md "Change a label".
 */
export const KINDS = {
  letter: {
    /** Part of the endpoint's path, `GET /api/guias/<path>/{guia}`. The objectives count `etiqueta(-[a-z0-9]+)?` alone. */
    path: 'etiqueta',
    /** `Tipo` of a file with many labels. */
    tipo: 'carta',
    /** Follows the guide's number in the name of a file. */
    fileSuffix: '',
    /** Whether a label has a page for each package, or else one page. */
    pagePerPackage: false,
    operationId: 'obtenerEtiqueta',
    summary: 'Etiqueta carta, con QR de rastreo',
  },
  small: {
    path: 'etiqueta-pequena',
    tipo: 'pequena',
    fileSuffix: '-10x10',
    pagePerPackage: true,
    operationId: 'obtenerEtiquetaPequena',
    summary: 'Etiqueta de 10 × 10 cm, una página por paquete',
  },
  medium: {
    path: 'etiqueta-10x15',
    tipo: '10x15',
    fileSuffix: '-10x15',
    pagePerPackage: true,
    operationId: 'obtenerEtiqueta10x15',
    summary: 'Etiqueta de 10 × 15 cm (4 × 6 pulgadas), una página por paquete',
  },
} as const;

export type LabelKind = keyof typeof KINDS;
export const LABEL_KINDS = Object.keys(KINDS) as LabelKind[];

/** The values of `Tipo`. */
export const TIPOS = LABEL_KINDS.map((kind) => KINDS[kind].tipo);

export function kindOfTipo(tipo: string): LabelKind | undefined {
  return LABEL_KINDS.find((kind) => KINDS[kind].tipo === tipo);
}

/** Most pages of the file of many guides' labels. */
export const MAX_FILE_PAGES = 1_000;
