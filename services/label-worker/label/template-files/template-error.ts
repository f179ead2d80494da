import { ConfigError } from '#shared/config/load-config.ts';

/** A template that cannot be used: the message says why, with its file and, where one is to blame, the line. */
export class TemplateError extends ConfigError {
  override name = 'TemplateError';
  readonly file: string;
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, message: string, options?: ErrorOptions) {
    super(`${line ? `${file}:${line}` : file}: ${message}`, options);
    this.file = file;
    this.line = line;
  }
}
