import { expect } from 'vitest';
import type { Answer, Client } from '#test/fixtures/client.ts';
import { type Api, type Ask, type Conformance, no, text, withGuide } from '#test/fixtures/conformance.ts';
import { pathOf, put } from './fixture.ts';
import { declaring, png } from './pictures.ts';

/** Does something with a delivered guide of `otro`. */
const withDelivery = (
  use: (users: Api['users'], guide: string) => Promise<Answer>,
  Tipo = 'Entregado',
): Ask =>
  withGuide(async (users, Guia) => {
    await users.escaner.post('/api/eventos', {
      Eventos: [{ Guia, Tipo, Id: 'e1', Ocurrido: new Date().toISOString() }],
    });
    return use(users, Guia);
  });
/** Sends bytes as a picture of a delivered guide of `otro`. */
const send = (bytes: Buffer, picture = 'firma', id = 'e1'): Ask =>
  withDelivery(({ escaner }, guide) => put(escaner, pathOf(guide, id, picture), bytes));
const sendTo = (client: Client, guide: string, bytes = png()) =>
  put(client, pathOf(guide, 'e1', 'firma'), bytes);

export const conformance: Conformance = {
  sections: {
    Evidence: [
      [
        'a signature is kept',
        send(png(60, 40)),
        {
          message: 'Evidencia guardada',
          data: { Evento: 'e1', Imagen: 'firma', Ancho: 60, Alto: 40, Bytes: expect.any(Number) },
        },
      ],
      [
        'the same again is the same',
        withDelivery(async ({ escaner }, guide) => {
          await sendTo(escaner, guide);
          return sendTo(escaner, guide);
        }),
        { message: 'Evidencia guardada' },
      ],
      [
        'another one in its place',
        withDelivery(async ({ escaner }, guide) => {
          await sendTo(escaner, guide);
          return sendTo(escaner, guide, png(30, 30));
        }),
        no('evidencia_conflicto'),
      ],
      [
        'the pictures of a guide',
        withDelivery(async ({ escaner, otro }, guide) => {
          await sendTo(escaner, guide);
          return otro.get(`/api/guias/${guide}/evidencia`);
        }),
        {
          message: 'Imagenes: 1',
          data: [
            {
              ...{ Evento: 'e1', Imagen: 'firma', Tipo: 'Entregado', Ocurrido: text, Registrado: text },
              ...{ Ancho: 60, Alto: 40, Bytes: expect.any(Number), Anulada: false },
            },
          ],
        },
      ],
      [
        'one of them',
        withDelivery(async ({ escaner, otro }, guide) => {
          await sendTo(escaner, guide);
          return otro.get(`/api/guias/${guide}/evidencia/e1/firma`);
        }),
        {
          headers: {
            'content-type': 'image/jpeg',
            'cache-control': 'private, no-store',
            'content-disposition': expect.stringMatching(/^inline; filename="guia-\d{12}-firma\.jpg"$/),
          },
        },
      ],
      [
        'one that is not there',
        withDelivery(({ otro }, guide) => otro.get(`/api/guias/${guide}/evidencia/e1/foto1`)),
        no('imagen_no_encontrada'),
      ],
      [
        'the proof of delivery',
        withDelivery(({ otro }, guide) => otro.get(`/api/guias/${guide}/comprobante`)),
        {
          headers: {
            'content-type': 'application/pdf',
            'content-disposition': expect.stringMatching(/^inline; filename="comprobante-\d{12}\.pdf"$/),
          },
        },
      ],
      [
        'the proof of what was not delivered',
        withGuide(({ otro }, guide) => otro.get(`/api/guias/${guide}/comprobante`)),
        no('guia_sin_entrega'),
      ],
      ['an event that nobody has registered', send(png(), 'firma', 'e2'), no('evento_no_encontrado')],
      [
        'an event that proves nothing',
        withDelivery(({ escaner }, guide) => sendTo(escaner, guide), 'EnTransito'),
        no('evento_sin_evidencia'),
      ],
      ['a place that there is not', send(png(), 'foto4'), no('imagen_no_encontrada')],
      ['a picture of another type', send(Buffer.from('GIF89a')), no('imagen_de_otro_tipo')],
      ['a picture that is too large', send(Buffer.alloc(2 * 1024 * 1024 + 1)), no('imagen_muy_grande')],
      [
        'a picture of 100 MP',
        send(declaring(10_000, 10_000)),
        no('imagen_con_muchos_pixeles', {
          message: 'La imagen es de 10000 x 10000 pixeles, y el limite es de 16 millones',
        }),
      ],
      ['a picture that is cut', send(png().subarray(0, 60)), no('imagen_cortada')],
      ['a picture that cannot be read', send(declaring(3_000, 3_000)), no('imagen_ilegible')],
    ],
  },
  refusals: {
    evento_no_encontrado: [404, 'Evento no encontrado'],
    evento_sin_evidencia: [409, 'Solo llevan evidencia los eventos Entregado, Incidencia, Devuelto'],
    evidencia_conflicto: [409, 'El evento ya tiene otra imagen en este lugar'],
    imagen_no_encontrada: [404, 'Imagen no encontrada'],
    guia_sin_entrega: [409, 'La guia no tiene una entrega'],
    imagen_de_otro_tipo: [415, 'La imagen debe ser PNG, JPEG o WebP'],
    imagen_muy_grande: [413, 'La imagen excede el limite de 2 MiB'],
    imagen_con_muchos_pixeles: [400, 'La imagen es de 10000 x 10000 pixeles, y el limite es de 16 millones'],
    imagen_cortada: [400, 'La imagen no esta completa'],
    imagen_ilegible: [400, 'La imagen no se puede leer'],
  },
};
