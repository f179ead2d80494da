import type { TObject } from 'typebox';
import { ApiConfig } from '#services/api/config.ts';
import { BranchesConfig } from '#services/branches/config.ts';
import { CanaryConfig } from '#services/canary/config.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { WebhooksConfig } from '#services/webhooks/config.ts';

/** The settings of each service, by the name that it has in images, Compose and Kubernetes. */
export const SETTINGS: Readonly<Record<string, TObject>> = {
  api: ApiConfig,
  branches: BranchesConfig,
  canary: CanaryConfig,
  dashboard: DashboardConfig,
  'label-worker': LabelWorkerConfig,
  webhooks: WebhooksConfig,
};
export const SERVICES = Object.keys(SETTINGS);

/** Settings that a container's own definition must not hold: they come from files. */
export const SECRETS = Object.values(SETTINGS).flatMap(({ properties }) =>
  Object.keys(properties).filter((name) => (properties[name] as { writeOnly?: boolean }).writeOnly),
);

/** Names in `env` that no setting of the service has, such as a misspelt one: it would be ignored without a word. */
export function unknownSettings(service: string, env: object): string[] {
  const known = Object.keys(SETTINGS[service]?.properties ?? {});
  return Object.keys(env).filter((name) => !known.includes(name.replace(/_FILE$/, '')));
}
