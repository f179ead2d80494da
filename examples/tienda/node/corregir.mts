// Lo que un programa puede corregir de una guía que la API rechaza. Lo demás lo decide una persona.
import type { Guia, Problema } from './api.mts';

/** Por `codigo` y `campo` de cada problema. */
const ARREGLOS: Readonly<Record<string, (guia: Guia) => void>> = {
  // Excel quita el cero de 06600.
  'campo_formato Destinatario.CodigoPostal': ({ Destinatario }) => {
    Destinatario.CodigoPostal = Destinatario.CodigoPostal?.replace(/^\d{4}$/, '0$&');
  },
  // «81 5001 6120 ext. 12»: lo que va antes de las letras; si es muy poco, sin teléfono también llega.
  'campo_formato Destinatario.Telefono': ({ Destinatario }) => {
    const [numero = ''] = /^[\d\s()+-]+/.exec(Destinatario.Telefono ?? '') ?? [];
    Destinatario.Telefono = numero.replace(/\D/g, '').length >= 10 ? numero : '';
  },
  'campo_formato Destinatario.Email': ({ Destinatario }) => {
    Destinatario.Email = '';
  },
  'campo_largo Destinatario.Referencias': ({ Destinatario }) => {
    Destinatario.Referencias = Destinatario.Referencias?.slice(0, 250);
  },
  'campo_formato Producto.Contenido': ({ Producto }) => {
    Producto.Contenido = Producto.Contenido.replace(/\p{Cc}/gu, '');
  },
  // Nada de esta tienda pesa tanto: son gramos.
  'campo_formato Producto.Peso': enKilos,
  'medidas_excedidas Producto.Peso': enKilos,
};

function enKilos({ Producto }: Guia): void {
  Producto.Peso = (Producto.Peso ?? 0) / 1_000;
}

const hechos = new WeakMap<Guia, Set<string>>();

/** Corrige un problema de la guía. Da `false` si no hay cómo, o si ya se intentó y no bastó. */
export function corregir(guia: Guia, { codigo, campo }: Problema): boolean {
  const regla = `${codigo} ${campo}`;
  const intentados = hechos.get(guia) ?? new Set();
  if (!(regla in ARREGLOS) || intentados.has(regla)) return false;
  ARREGLOS[regla]?.(guia);
  hechos.set(guia, intentados.add(regla));
  return true;
}
