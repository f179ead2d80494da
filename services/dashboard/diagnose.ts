import { count } from '#shared/pages/format.ts';
import { ACTIONS } from '#shared/rooms.ts';
import { diagnoseActions, reportedActions } from './diagnoses/actions.ts';
import { diagnoseCanary } from './diagnoses/canary.ts';
import { diagnoseClocks } from './diagnoses/clocks.ts';
import { diagnoseAccounts, diagnoseAuditLog, diagnoseWebhooks } from './diagnoses/customers.ts';
import { type Diagnosis, type LastSeen, LEVELS } from './diagnoses/diagnosis.ts';
import { diagnoseDirectory } from './diagnoses/directory.ts';
import { diagnoseElsewhere } from './diagnoses/elsewhere.ts';
import { diagnoseQueue } from './diagnoses/labels.ts';
import { diagnoseOwnData } from './diagnoses/own-data.ts';
import { diagnosePickups } from './diagnoses/pickups.ts';
import { diagnoseReturn, diagnoseServices, diagnoseWorkers, SERVICES } from './diagnoses/processes.ts';
import { diagnoseSettings } from './diagnoses/settings.ts';
import {
  type Dependency,
  diagnoseDependencies,
  diagnoseIndexes,
  diagnoseLabelCache,
  diagnoseMongo,
  diagnosePublicBucket,
  diagnoseRedis,
  refusesAllWrites,
  reportsOf,
} from './diagnoses/stores.ts';
import type { SystemState } from './system-state.ts';

/**
 * Finds what is wrong, the grave first. Leaves out what another diagnosis causes, so that each cause is one line. That the canary
 * tells nothing is a diagnosis too, because the page reports that all is well if there is none.
 */
export function diagnose(state: SystemState, lastSeen: LastSeen = { harmed: {}, redis: 0 }): Diagnosis[] {
  const found: Diagnosis[] = [
    ...diagnoseCanary(state.canary),
    ...diagnoseRedis(state),
    // Nothing has come back yet while writes are refused.
    ...(refusesAllWrites(state) ? [] : diagnoseReturn(state, lastSeen)),
    ...diagnoseElsewhere(state, lastSeen),
    ...diagnoseServices(state),
    ...diagnoseDependencies(state),
    ...diagnosePublicBucket(state),
    ...diagnoseMongo(state),
    ...diagnoseIndexes(state),
    ...diagnoseDirectory(state),
    ...diagnoseSettings(state),
    ...diagnoseClocks(state),
    ...diagnoseLabelCache(state),
    ...diagnoseWorkers(state),
    ...diagnoseQueue(state),
    ...diagnoseActions(state, lastSeen),
    ...diagnoseWebhooks(state),
    ...diagnosePickups(state),
    ...diagnoseAccounts(state),
    ...diagnoseOwnData(state),
    ...diagnoseAuditLog(state),
  ];
  const hasCause = (one: Diagnosis) =>
    found.some((other) => other !== one && other.causes?.some((effect) => one.effectOn?.includes(effect)));
  return found
    .filter((one) => !hasCause(one))
    .sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

/** Lists what `diagnose` examined, and how many processes reported. */
export function examined(state: SystemState): string[] {
  const { canary, workers, services, webhooks, pickups } = state;
  const ways = canary.report?.ways.length ?? 0;
  const actions = reportedActions(state);
  const processes = SERVICES.map(
    (name) => `${name} (${services.filter((one) => one.service === name).length})`,
  );
  const isReported = (dependency: Dependency) => reportsOf(state, dependency).length > 0;
  return [
    ...(ways > 0 ? [`el cliente de prueba (${count(ways, 'entrada', 'entradas')})`] : []),
    ...processes,
    `label-worker (${workers.length}) con su Chromium`,
    'MongoDB',
    'el Redis de la cola',
    ...(isReported('label-cache') ? ['el Redis de las etiquetas'] : []),
    ...(isReported('evidence-bucket') ? ['el bucket de evidencia'] : []),
    ...(isReported('mail-server') ? ['el servidor de correo'] : []),
    ...(isReported('tariff') ? ['la lectura de las tarifas'] : []),
    ...(services.some(({ directory }) => directory) ? ['las filas del directorio'] : []),
    'la cola',
    ...(actions.length > 0
      ? [
          `qué se contestó en la última media hora (${actions.map((action) => ACTIONS[action].name).join(', ')})`,
        ]
      : []),
    ...(services.some(({ missingIndexes }) => missingIndexes) ? ['los índices de MongoDB'] : []),
    ...(services.some(({ settings }) => settings) ? ['que los procesos tengan los mismos secretos'] : []),
    ...(webhooks ? ['los webhooks que fallan, atrasados o apagados'] : []),
    ...(pickups ? ['las recolecciones que nadie atiende'] : []),
    ...(services.some(({ limited }) => limited) ? ['las cuentas que pasan su límite'] : []),
    ...(services.some(({ accounts }) => accounts) ? ['a cuántas cuentas se rechaza por datos nuestros'] : []),
  ];
}
