import { type Static, Type } from 'typebox';

/** What the api asks of `services/webhooks`: to send a webhook of an account a message to try it. */
export const TestEventRequest = Type.Object({ account: Type.String(), webhook: Type.String() });
export type TestEventRequest = Static<typeof TestEventRequest>;

/** How it went; `failure` in words for the account, absent where the message was taken. */
export const TestEventOutcome = Type.Object({
  ms: Type.Integer(),
  status: Type.Optional(Type.Integer()),
  failure: Type.Optional(Type.String()),
});
export type TestEventOutcome = Static<typeof TestEventOutcome>;
