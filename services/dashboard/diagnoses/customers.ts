import { WEBHOOKS_BEHIND } from '#shared/observability/thresholds.ts';
import { count, duration, number } from '#shared/pages/format.ts';
import type { LateWebhook } from '#shared/webhooks/webhook-figures.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, note, warning } from './diagnosis.ts';

/** Refusals of an account within a minute from which it is named: one a second, as of a client that does not slow down. */
const FLOOD = 60;

export function* diagnoseWebhooks({ webhooks }: SystemState): Generator<Diagnosis> {
  const effectOn = ['webhooks'] as const;
  if (!webhooks) {
    const text = 'No se sabe cuántos webhooks están atrasados: MongoDB tarda';
    yield { ...warning('webhooks-unknown', 'mongodown', text), effectOn };
    return;
  }
  const { active, failing, behind, worst, disabled } = webhooks;
  const { ageMs, many, manyShare } = WEBHOOKS_BEHIND;
  if (behind > 0) {
    const late = count(behind, 'webhook tiene', 'webhooks tienen');
    const who = worst ? `; el más atrasado, ${nameOf(worst)}` : '';
    const text = `${late} eventos que esperan desde hace más de ${duration(ageMs)}${who}`;
    yield { ...warning('webhooks-behind', 'webhooksbehind', text), effectOn };
  }
  if (failing) {
    const isMany = failing.count >= many && failing.count > manyShare * active;
    const one = `Falla el webhook ${nameOf(failing.worst)}`;
    const some = `Fallan ${number(failing.count)} webhooks desde hace menos de ${duration(ageMs)}; el primero, ${nameOf(failing.worst)}`;
    const text = isMany
      ? `${some}. Son muchos: ¿falla nuestra salida a internet?`
      : failing.count === 1
        ? one
        : some;
    yield { ...(isMany ? warning : note)('webhooks-failing', 'webhooksbehind', text), effectOn };
  }
  if (disabled > 0) {
    const stopped = count(disabled, 'webhook se apagó', 'webhooks se apagaron');
    const text = `${stopped} en las últimas 24 h, pues su servidor no los toma`;
    yield warning('webhooks-disabled', 'webhooksbehind', text);
  }
}

/** `de tienda (pedidos.example), desde hace 12 s: Respondio 500`. */
function nameOf({ account, host, forMs, reason }: LateWebhook): string {
  return `de ${account} (${host}), desde hace ${duration(forMs)}${reason && `: ${reason}`}`;
}

/** An account over its limit is refused, and costs the others nothing. */
export function* diagnoseAccounts({ services }: SystemState): Generator<Diagnosis> {
  const refused = new Map<string, number>();
  for (const one of services.flatMap(({ limited = [] }) => limited))
    refused.set(one.account, (refused.get(one.account) ?? 0) + one.refused);
  const floods = [...refused].filter(([, requests]) => requests >= FLOOD).sort(([, a], [, b]) => b - a);
  const [worst] = floods;
  if (!worst) return;
  const others = floods.length > 1 ? `; cuentas que también lo pasan: ${number(floods.length - 1)}` : '';
  const requests = `${number(worst[1])} de sus solicitudes recibieron 429 en el último minuto`;
  const text = `La cuenta ${worst[0]} pasa su límite: ${requests}${others}`;
  yield note('flood', 'accountfloods', text);
}

export function* diagnoseAuditLog({ auditWaiting }: SystemState): Generator<Diagnosis> {
  if (auditWaiting === 0) return;
  const actions = count(auditWaiting, 'acción de este tablero espera', 'acciones de este tablero esperan');
  const text = `${actions} a MongoDB para entrar en la bitácora; su registro ya las tiene`;
  yield note('audit-waits', 'mongodown', text);
}
