import { DomainError } from '#shared/errors.ts';

/** Why a login is refused, each with the code of its answer. */
const CODES = {
  /** A wrong password, or an unknown user. */
  wrong: 'credentials-wrong',
  /** The right password of a user who may not log in. */
  disabled: 'credentials-wrong',
  address_limit: 'too-many-logins',
  pair_limit: 'too-many-logins',
  overload: 'overloaded',
} as const;
export type LoginFailure = keyof typeof CODES;
export const LOGIN_FAILURES = Object.keys(CODES) as LoginFailure[];

/** The refusals of a login; each service that logs users in answers all of them. */
export type LoginCode = 'credentials-missing' | (typeof CODES)[LoginFailure];

/** A refused login. */
export class LoginRefusal extends DomainError {
  readonly reason: LoginFailure;
  /** The same refusal was given a moment ago, and this one comes from memory. */
  readonly repeated: boolean;

  /** @param options.seconds when to try again, where that is what helps. */
  constructor(reason: LoginFailure, options: { seconds?: number; repeated?: boolean; cause?: unknown } = {}) {
    const { seconds, repeated = false, cause } = options;
    super(CODES[reason], { params: { seconds }, ...(cause !== undefined && { cause }) });
    this.reason = reason;
    this.repeated = repeated;
  }
}
