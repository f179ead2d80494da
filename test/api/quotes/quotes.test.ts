import { describe, expect } from 'vitest';
import { TariffStore } from '#services/api/tariffs/tariff-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const GOODS = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 };
const SHIPMENT = { Destinatario: { CodigoPostal: '64000' }, Producto: GOODS };

/** A guide that fits in the quote of `SHIPMENT`. */
function quotedGuide(Cotizacion: unknown) {
  const guide = minimalGuide();
  return {
    ...guide,
    Destinatario: { Nombre: 'Luis', ...SHIPMENT.Destinatario },
    Producto: { ...GOODS },
    Cotizacion,
  };
}
