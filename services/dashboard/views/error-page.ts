import { compileTemplate } from './templates.ts';

export type ErrorView = {
  status: number;
  message: string | undefined;
  requestId: string | undefined;
  /** Whether MongoDB or Redis does not answer: the page then reloads itself every five seconds. */
  outage: boolean;
  runbookUrl: string | undefined;
};

/** Renders an error for a person. */
export const errorPage: (view: ErrorView) => string = compileTemplate<ErrorView>('error');
