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

type Paths = Record<string, Record<string, Operation>>;
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  'x-permiso'?: string;
  'x-codigos': Record<string, string[]>;
};

/** Returns the operations of an OpenAPI document, in its order. */
export function operationsOf({ paths = {} }: { paths?: object }): DocumentedOperation[] {
  return Object.entries(paths as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      id: operation.operationId,
      tag: operation.tags[0] ?? '',
      summary: operation.summary,
      permission: operation['x-permiso'],
      codigos: operation['x-codigos'],
    })),
  );
}
