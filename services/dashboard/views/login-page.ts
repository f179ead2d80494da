import { compileTemplate } from './templates.ts';

const template = compileTemplate<{ message: string | undefined }>('entrar');

/** Renders the login page. @param view.message why the last attempt failed. */
export function loginPage({ message }: { message?: string | undefined }): string {
  return template({ message });
}
