import { type Difference, differences, type Process } from '#shared/stores/shared-settings.ts';
import { count } from '../format.ts';
import type { SystemState } from '../system-state.ts';
import { BY_API, BY_BRANCHES, type Diagnosis, type Effect, grave, warning } from './diagnosis.ts';

/** What each secret is for, and what follows where it differs. Users are refused one by one: no cause of failures. */
const SECRETS: Readonly<Record<string, { what: string; causes: readonly Effect[] }>> = {
  JWT_SECRET: { what: 'rechaza los tokens que dan los otros, y los otros los suyos', causes: [] },
  INTERNAL_TOKEN: { what: 'no se entienden', causes: ['token'] },
  WEBHOOK_SECRETS_KEY: {
    what: 'no se descifran los secretos de los webhooks',
    causes: ['webhook', 'webhooks'],
  },
};

/** Names processes whose secrets or settings are not those of the others. A secret that is being rotated is no difference. */
export function* diagnoseSettings({ services, self }: SystemState): Generator<Diagnosis> {
  for (const { setting, isSecret, odd, others } of differences([...services, self])) {
    const text = `El ${setting} de ${nameOf(odd)} no es el de ${processesOf(others)}`;
    if (!isSecret) {
      const wrong = setting === 'MONGODB_URI';
      const what = wrong ? text.replace('MONGODB_URI', 'nombre de la base de datos') : text;
      const causes = wrong ? BY_API : [];
      yield { ...(wrong ? grave : warning)(`differs-${setting}`, 'secretsdiffer', what), causes };
      continue;
    }
    const { what = '', causes = [] } = SECRETS[setting] ?? {};
    const isBranches = [odd, ...others].some(({ service }) => service === 'branches');
    const failing = setting === 'INTERNAL_TOKEN' && isBranches ? BY_BRANCHES : [];
    yield {
      ...grave(`differs-${setting}`, 'secretsdiffer', `${text}: ${what}`),
      causes: [...causes, ...failing],
    };
  }
}

function nameOf({ service, host, pid }: Process): string {
  return `${service} en ${host}, pid ${pid},`;
}

/** `2 procesos de api, 1 proceso de webhooks`. */
function processesOf(others: Difference['others']): string {
  const names = [...new Set(others.map(({ service }) => service))].sort();
  return names
    .map((name) => {
      const own = others.filter(({ service }) => service === name).length;
      return `${count(own, 'proceso', 'procesos')} de ${name}`;
    })
    .join(', ');
}
