// Lee pedidos como los exporta una tienda en línea o los guarda Excel, y hace de cada uno una guía.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Guia, Servicio } from './api.mts';

export type Pedido = { numero: string; servicio: Servicio; guia: Guia };
type Fila = Record<string, string>;

const REMITENTE = { Nombre: 'Papelería La Esquina', Telefono: '5550001234' };

export function leerPedidos(archivo: string): Pedido[] {
  const texto = decodificar(readFileSync(archivo));
  const filas: Fila[] = parse(texto, {
    columns: (nombres: string[]) => nombres.map(columna),
    delimiter: texto.slice(0, texto.indexOf('\n')).includes(';') ? ';' : ',',
    trim: true,
    skip_records_with_empty_values: true, // las filas de puros ;;;; que deja Excel
  });
  return filas.map(aPedido);
}

/** Lo que no es UTF-8 es de Excel en Windows. TextDecoder quita también el BOM. */
function decodificar(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** «Teléfono» es `telefono`, «C.P.» es `cp`, y «Peso (kg)» es `peso`. */
function columna(nombre: string): string {
  return nombre
    .normalize('NFD')
    .replace(/\(.*\)|[^a-z]/gi, '')
    .toLowerCase();
}

function aPedido(fila: Fila): Pedido {
  const texto = (nombre: string) => (/^(-|N\/A)$/.test(fila[nombre] ?? '') ? '' : (fila[nombre] ?? ''));
  // 0 es «no se sabe»: de la medida que falta avisa la API.
  const medida = (nombre: string) => Number(texto(nombre).replace(',', '.'));
  return {
    numero: texto('pedido'),
    servicio: /sucursal/i.test(texto('entrega')) ? 'the service' : 'Domicilio',
    guia: {
      Referencia: texto('pedido'),
      Remitente: REMITENTE,
      Destinatario: {
        Nombre: texto('nombre'),
        RazonSocial: texto('empresa'),
        RFC: texto('rfc'),
        Email: texto('correo'),
        Telefono: texto('telefono'),
        Calle: texto('calle'),
        Numero_exterior: texto('numero'),
        Numero_interior: texto('interior'),
        Colonia: texto('colonia'),
        Municipio: texto('municipio'),
        Estado: texto('estado'),
        CodigoPostal: texto('cp'),
        Referencias: texto('referencias'),
      },
      Producto: {
        Contenido: texto('contenido'),
        Peso: medida('peso'),
        Largo: medida('largo'),
        Alto: medida('alto'),
        Ancho: medida('ancho'),
        Paquetes: Number.parseInt(texto('paquetes'), 10) || 1,
        ValorDeclarado: Number(texto('valor').replace(/[$,\s]/g, '')), // aquí la coma separa miles
      },
      Creado_por: {},
    },
  };
}
