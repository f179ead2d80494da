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

/** Says a problem beside its field: the sentence of the API without the name of the field, and others as people know them. */
export function besideField(message: string): string {
  const text = message
    .replace(/^El campo '[^']*' /, '')
    .replace(/\b(?:Remitente|Destinatario|Producto|Cobro)\.(\w+)/g, (_, name: string) =>
      name.replace('_', ' '),
    );
  return text.charAt(0).toUpperCase() + text.slice(1);
}
