/** What the tests look at of an object of any kind. */
export type AnyObject = { apiVersion: string; kind: string; metadata: { name: string } };

/** Groups whose kinds are not the api server's own. */
const FOREIGN = /^(keda\.sh|monitoring\.coreos\.com|gateway\.networking\.k8s\.io|external-secrets\.io)\//;

/**
 * Returns definitions that let a cluster without these controllers store their objects, whatever the fields: the fields are
 * held to their own schemas by k8s.test.ts.
 */
export function customResourceDefinitions(objects: AnyObject[]): AnyObject[] {
  const kinds = new Map(
    objects
      .filter(({ apiVersion }) => FOREIGN.test(apiVersion))
      .map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }] as const),
  );
  return [...kinds.values()].map(({ apiVersion, kind }) => {
    const [group = '', version = ''] = apiVersion.split('/');
    const singular = kind.toLowerCase();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${singular}s.${group}`,
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
      },
      spec: {
        group,
        names: { kind, singular, plural: `${singular}s` },
        scope: 'Namespaced',
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    };
  });
}
