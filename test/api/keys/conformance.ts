import { expect } from 'vitest';
import { type Answer, Client } from '#test/fixtures/client.ts';
import {
  type Ask,
  type Conformance,
  ended,
  get,
  no,
  post,
  required,
  text,
} from '#test/fixtures/conformance.ts';

/** Does something by a new key of `operaciones`. */
const byKey =
  (use: (program: Client) => Promise<Answer>): Ask =>
  async ({ url, users }) => {
    const { body } = await users.operaciones.post('/api/llaves', { Nombre: 'una' });
    return use(new Client(url, (body.data as { Llave: string }).Llave));
  };

export const conformance: Conformance = {
  sections: {
    Keys: [
      [
        'one is made, and shown once',
        post('/api/llaves', { Nombre: 'una', Permisos: ['guias.read'] }, 'otro'),
        {
          message: 'Llave creada: guardela, no se muestra otra vez',
          data: {
            ...{ Id: text, Nombre: 'una', Permisos: ['guias.read'], Creada: ended, Vence: null },
            ...{ UltimoUso: null, Inicio: expect.stringMatching(/^gk_live_[\w-]{4}$/) },
            Llave: expect.stringMatching(/^gk_live_[\w-]{43}[0-9a-z]{6}$/),
          },
        },
      ],
      [
        'of a test account, it says so',
        post('/api/llaves', { Nombre: 'una' }, 'prueba'),
        { data: expect.objectContaining({ Inicio: expect.stringMatching(/^gk_test_/) }) },
      ],
      [
        "those of the user, not of the account's others",
        get('/api/llaves'),
        { message: 'Llaves: 0', data: [] },
      ],
      ['without a name', post('/api/llaves', {}), required('Nombre')],
      [
        "none of the user's is ended",
        ({ users }) => users.demo.post('/api/llaves/nada', '', {}, 'DELETE'),
        no('llave_no_encontrada'),
      ],
      [
        'an eleventh',
        async ({ users }) => {
          for (let i = 0; i < 10; i++) await users.lectura.post('/api/llaves', { Nombre: 'una' });
          return users.lectura.post('/api/llaves', { Nombre: 'una' });
        },
        no('llaves_excedidas'),
      ],
      ['it is validated', byKey((program) => program.get('/api/auth/validate')), { message: 'Token valido' }],
      ['it makes no other', byKey((program) => program.get('/api/llaves')), no('requiere_token')],
      [
        'a wrong one',
        ({ url }) => new Client(url, 'gk_live_no').get('/api/sucursales'),
        no('acceso_denegado'),
      ],
    ],
  },
  refusals: {
    llave_no_encontrada: [404, 'Llave no encontrada'],
    llaves_excedidas: [409, 'Maximo 10 llaves por usuario'],
  },
};
