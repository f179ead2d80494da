import { type Static, Type } from 'typebox';

/** The api asks `services/webhooks` to send a test event. */
export const TestEventRequest = Type.Object({ account: Type.String(), webhook: Type.String() });
export type TestEventRequest = Static<typeof TestEventRequest>;

/** `failure` is in words for the account, and absent after a success. */
export const TestEventOutcome = Type.Object({
  ms: Type.Integer(),
  status: Type.Optional(Type.Integer()),
  failure: Type.Optional(Type.String()),
});
export type TestEventOutcome = Static<typeof TestEventOutcome>;
