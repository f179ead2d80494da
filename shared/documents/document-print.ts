/** Identifies what is printed: its kind, and the number in the title of its PDF. */
export type DocumentPayload<Kind extends string = string> = { kind: Kind; number: string };

/**
 * A document of a room, which the label worker prints beside labels: for example the list of a manifest (docs/labels.md "Documents").
 * The api and the label worker both check its payload.
 */
export type DocumentPrint<Kind extends string = string> = {
  /** Names the kind in jobs and heartbeats; no room has another's. */
  kind: Kind;
  /** What the number is the number of, as the title of the PDF says. */
  title: string;
  /** The Handlebars file that draws each page. */
  template: URL;
  isPayload(payload: unknown): boolean;
  pageCount(payload: DocumentPayload): number;
  /** Returns what each page shows, in characters of the label's font except in codes. */
  views(payload: DocumentPayload): object[];
  /** Returns what operators see of a job, without personal data. */
  visible(payload: DocumentPayload): { guia: string; tipo: string; [field: string]: string | number };
};

/** States a document. @param print whose functions get payloads that `isPayload` has accepted. */
export function defineDocument<const Kind extends string, Payload extends DocumentPayload<Kind>>(
  print: Pick<DocumentPrint<Kind>, 'kind' | 'title' | 'template'> & {
    isPayload: (payload: unknown) => payload is Payload;
    pageCount: (payload: Payload) => number;
    views: (payload: Payload) => object[];
    visible: (payload: Payload) => ReturnType<DocumentPrint['visible']>;
  },
): DocumentPrint<Kind> {
  return print as DocumentPrint<Kind>;
}
