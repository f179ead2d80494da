import { gzipSync } from 'node:zlib';
import { call } from '#test/fixtures/client.ts';
import { type Ask, type Conformance, CREATE, get, no, post, unknown } from '#test/fixtures/conformance.ts';

const postBytes =
  (body: Buffer<ArrayBuffer>, more = {}): Ask =>
  ({ url, users: { demo } }) => {
    const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json', ...more };
    return call(url + CREATE, { method: 'POST', headers, body });
  };

export const conformance: Conformance = {
  sections: {
    Envelopes: [
      ['an unknown route', get('/api/rastreo'), no('recurso_no_encontrado')],
      ['the address above all, which only leads browsers', get('/api'), no('recurso_no_encontrado')],
      ['no chapter of the guide, for a program', get('/api/docs/nada.md'), no('recurso_no_encontrado')],
      ['another method of a chapter', post('/api/docs/campos', {}), no('metodo_no_permitido')],
      ['an unknown parameter', get('/api/guias/etiqueta/{guia}?paquete=1'), unknown('paquete')],
      ['a parameter of a route that takes none', get('/api/sucursales?limite=1'), unknown('limite')],
      ['doubled and trailing slashes', get('//api//sucursales/')],
      ['another method, with such slashes', post('//api/sucursales/', {}), no('metodo_no_permitido')],
      ['a body in Latin-1', postBytes(Buffer.from('{"Guia":"\u00f1"}', 'latin1')), no('cuerpo_no_utf8')],
      [
        'a compressed body',
        postBytes(gzipSync('{}'), { 'content-encoding': 'gzip' }),
        no('tipo_de_contenido'),
      ],
      [
        'a body of too many values',
        post(CREATE, `{"Guia":[${'1,'.repeat(80_000)}1]}`),
        no('cuerpo_muy_grande'),
      ],
      ['another method', post('/api/sucursales', {}), no('metodo_no_permitido')],
    ],
  },
  refusals: {
    sin_permiso: [403, 'No tiene permiso para realizar esta accion'],
    acceso_denegado: [401, 'Acceso denegado'],
    token_expirado: [401, 'Token expirado'],
    campo_largo: [
      400,
      "El campo 'Destinatario.Numero_interior' admite hasta 20 caracteres",
      'Destinatario.Numero_interior',
    ],
    idempotencia_invalida: [400, 'Idempotency-Key debe tener de 1 a 255 caracteres visibles'],
    idempotencia_conflicto: [409, 'Idempotency-Key ya usada con otro contenido'],
    recurso_no_encontrado: [404, 'Recurso no encontrado'],
    metodo_no_permitido: [405, 'Metodo no permitido'],
    cuerpo_no_utf8: [400, 'El cuerpo de la solicitud no es UTF-8 valido'],
    tipo_de_contenido: [415, 'El cuerpo de la solicitud no debe estar comprimido (Content-Encoding)'],
    cuerpo_muy_grande: [413, 'El cuerpo de la solicitud excede el limite de 40000 valores'],
  },
  elsewhere: {
    error_interno: 'test/shared/http/logged-errors.test.ts',
    cuota_excedida: 'test/api/http/heavy-requests.test.ts',
    saturado: 'test/api/labels/overload.test.ts',
    cuerpo_no_json: 'test/api/http/bad-input.test.ts',
    headers_muy_grandes: 'test/api/http/bad-input.test.ts',
    solicitud_incompleta: 'test/security/limits.test.ts',
    solicitud_invalida: 'test/api/http/bad-input.test.ts',
    servicio_no_disponible: 'test/shared/http/late-stores.test.ts',
    resultado_desconocido: 'test/api/guides/lost-answers.test.ts',
  },
};
