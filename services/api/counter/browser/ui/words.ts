const MXN = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

export function pesos(amount: number): string {
  return MXN.format(amount);
}

/** The types of service, which the specification names so. */
const SERVICES: Readonly<Record<string, string>> = {
  Domicilio: 'A domicilio',
  'the service': 'Recoger en sucursal',
};

export function serviceName(service: string): string {
  return SERVICES[service] ?? service;
}
