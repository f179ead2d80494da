import { type Static, Type } from 'typebox';

/** What the api asks of `services/webhooks`: to send a webhook of an account a message to try it. */
export const ProbeRequest = Type.Object({ account: Type.String(), webhook: Type.String() });
export type ProbeRequest = Static<typeof ProbeRequest>;

/** How it went; `failure` in words for the account, absent where the message was taken. */
export const ProbeOutcome = Type.Object({
  ms: Type.Integer(),
  status: Type.Optional(Type.Integer()),
  failure: Type.Optional(Type.String()),
});
export type ProbeOutcome = Static<typeof ProbeOutcome>;
