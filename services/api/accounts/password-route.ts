import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import { changePassword } from './change-password.ts';
import { CredentialHeaders, credentialsOf, LOGIN_ERRORS, neverStored } from './login-route.ts';
import { PasswordChange, parsePasswordChange } from './new-password.ts';
import type { AccountsContext } from './open.ts';

/** In bytes: bodies of anybody are parsed. */
const BODY_LIMIT = 16 * 1024;

const route = operation({
  id: 'cambiarContrasena',
  action: 'account',
  tag: 'Autenticacion',
  summary: 'Cambiar la contraseña propia',
  description:
    'Con la contraseña actual, también una temporal, en los headers. Termina los tokens y sesiones del usuario, salvo ' +
    'con `ConservarAnterior`: entonces siguen, y la contraseña de antes vale 24 horas más. Cuenta como un intento de ' +
    'entrar. El cuerpo admite hasta 16 KiB.',
  request: { headers: CredentialHeaders, body: PasswordChange },
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', ...BODY_ERRORS] as const),
    ...(['field-required', 'field-type', 'field-invalid', 'field-unknown'] as const),
    ...(['forbidden', 'password-replaced', 'password-unknown'] as const),
    ...LOGIN_ERRORS,
  ],
  data: {
    name: 'ContrasenaCambiada',
    message: 'Contrasena cambiada',
    schema: Type.Object(
      {
        usuario: Type.String(),
        anteriorHasta: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'Hasta cuándo vale la contraseña de antes, ISO 8601, UTC; null si ya no vale',
        }),
      },
      { title: 'ContrasenaCambiada' },
    ),
    headers: describeHeaders({ 'Cache-Control': 'no-store' }),
    example: { usuario: 'tienda', anteriorHasta: '2026-11-22T18:00:00.000Z' },
  },
});

/** `POST /api/auth/password` (docs/contract.md "Authentication"). */
export function passwordRoute(server: HttpServer, context: AccountsContext): void {
  neverStored(server);
  server.post('/api/auth/password', { ...route, bodyLimit: BODY_LIMIT }, async (request) => {
    const credentials = credentialsOf(request);
    const change = parsePasswordChange(request.body, credentials.password);
    const { username: actor, address, requestId } = credentials;
    const record = (outcome: 'ok' | 'refused' | 'failed', more: object) =>
      context.auditLog.record({ action: 'password.change', actor, address, requestId, outcome, ...more });
    const { user, previousUntil } = await changePassword(context, credentials, change).catch(
      async (error) => {
        // The change may be stored, or a stranger may have a password that was right before.
        const details = { reason: error.code };
        if (error.code === 'password-unknown') await record('failed', { details });
        if (error.code === 'password-replaced') await record('refused', { details });
        throw error;
      },
    );
    const { account, oneTimeUntil } = user;
    const details = { overlaps: previousUntil !== null, wasOneTime: oneTimeUntil !== undefined };
    await record('ok', { account, details });
    return route.ok({ usuario: user.username, anteriorHasta: previousUntil?.toISOString() ?? null });
  });
}
