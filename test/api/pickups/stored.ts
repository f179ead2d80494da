import { pickupNumbers } from '#services/api/pickups/pickup-number.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { driverOf, modelOf } from '#shared/stores/collection.ts';
import type { Stored } from '#test/fixtures/stored.ts';
import { newAddress, type Window } from './asking.ts';

export const stored: Stored = {
  async byClient(client) {
    const { body } = await client.get('/api/recolecciones/disponibles?CodigoPostal=64000');
    const [{ SolicitarAntesDe: _, ...Ventana } = {} as Window] = (body.data as { Ventanas: Window[] })
      .Ventanas;
    const Direccion = newAddress({ CodigoPostal: '64000' });
    await client.post('/api/recolecciones', { Ventana, Direccion, Paquetes: 1 });
  },

  async namingPerson(mongo, { account, person, at }) {
    const pickup: Pickup = {
      _id: pickupNumbers.generate(),
      ...{ creation: 'una', username: account, account, createdUtc: at },
      createdAt: at.toISOString().slice(0, 19),
      branch: { code: 'MTY01', name: 'Monterrey' },
      window: {
        ...{ date: '2026-12-01', from: '10:00', to: '17:00', zone: 'America/Mexico_City' },
        ...{ closesAt: at, startsAt: at, endsAt: at },
      },
      automatic: false,
      address: { Nombre: person, Celular: '8112345678', CodigoPostal: '64000', Calle: 'Av. Juárez' },
      notes: `Preguntar por ${person}`,
      packages: 1,
      status: 'Recolectada',
      history: [{ status: 'Recolectada', occurred: at, at }],
      version: 1,
      personal: at,
    };
    await driverOf(modelOf(mongo, PICKUPS)).insertOne(pickup);
  },
};
