import { ConfigError } from '#shared/config/load-config.ts';

/** A template that cannot be used: the message says why, with its file and, where one is to blame, the line. */
export class TemplateError extends ConfigError {
  override name = 'TemplateError';

  constructor(file: string, line: number | undefined, message: string, options?: ErrorOptions) {
    super(`${line ? `${file}:${line}` : file}: ${message}`, options);
  }
}
