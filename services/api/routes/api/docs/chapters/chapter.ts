import type { ApiConfig } from '#api/config.ts';
import type { Html } from '../html.ts';

/** An operation of the OpenAPI document, as far as the chapters show it. */
export type DocumentedOperation = {
  method: string;
  path: string;
  id: string;
  tag: string;
  summary: string;
  permission: string | undefined;
  /** The codes of its errors by status. */
  codigos: Record<string, string[]>;
};

/** What the chapters are filled with. */
export type Manual = {
  /** Where clients reach the API. */
  url: string;
  config: ApiConfig;
  operations: DocumentedOperation[];
};

/** A page of the manual below `/api/docs`. */
export type Chapter = { path: string; title: string; content: (manual: Manual) => Html };
