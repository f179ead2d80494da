import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Base } from '../../http/room.ts';
import { repeatOnceConnected } from '../../platform/repeat.ts';
import { Catalogue } from './catalogue.ts';

/** Pause between looks for another catalogue, in ms. Loads hold within ten seconds (docs/contract.md "Postal codes"). */
const LOOK_MS = 3_000;

/** Keeps the catalogue of postal codes. The api is ready without it, since guides need none. */
export function openCatalogue(server: HttpServer, { mongo }: Base): Catalogue {
  const catalogue = new Catalogue(new PostalCodeStore(mongo));
  const options = {
    name: 'the catalogue of postal codes',
    pauseMs: LOOK_MS,
    failed: 'The catalogue of postal codes that was read last stays in force',
  };
  repeatOnceConnected(server, options, () => catalogue.look());
  return catalogue;
}
