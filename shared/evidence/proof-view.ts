import { dateText, NONE, testBand } from '../documents/printed-texts.ts';
import { isTestNumber } from '../guides/guide.ts';
import { inCharset } from '../labels/label-charset.ts';
import type { ProofPayload } from './proof-payload.ts';

type Picture = ProofPayload['pictures'][number];

const SERVICES = { Domicilio: 'A domicilio', 'the service': 'Recoge en sucursal' } as const;
const CAPTIONS: Readonly<Record<Picture['name'], string>> = {
  firma: 'Firma',
  foto1: 'Foto 1',
  foto2: 'Foto 2',
  foto3: 'Foto 3',
};

/** In dots: the baseline of the first delivery, and the height of each. */
const FIRST_ROW = 752;
const ROW_HEIGHT = 44;
/** Pictures stand two beside and two below each other; the places of their upper left corners, and their size, in dots. */
const PER_PAGE = 4;
const COLUMNS = [96, 884];
const FIRST_PAGE = { rows: [1_176, 1_668], height: 430 };
const OTHER_PAGES = { rows: [330, 1_250], height: 850 };

/** Returns the pictures of each page: four, and one page at least. */
export function pagesOf<Each>(pictures: readonly Each[]): Each[][] {
  const pages: Each[][] = [[...pictures.slice(0, PER_PAGE)]];
  for (let at = PER_PAGE; at < pictures.length; at += PER_PAGE) pages.push(pictures.slice(at, at + PER_PAGE));
  return pages;
}

/** Returns what each page of a proof shows, in characters of the label's font. The first one has the facts. */
export function proofViews(payload: ProofPayload) {
  const { number, carrier, logo } = payload;
  const pages = pagesOf(payload.pictures);
  return pages.map((pictures, index) => ({
    carrier: { name: inCharset(carrier), logo },
    code: number,
    number: number.replace(/(\d{4})(?=\d)/g, '$1 '),
    test: testBand(isTestNumber(number)),
    page: `Página ${index + 1} de ${pages.length}`,
    facts: index === 0 ? factsView(payload) : undefined,
    pictures: pictures.map((picture, place) => pictureView(picture, place, index === 0)),
  }));
}

function factsView(payload: ProofPayload) {
  const { createdAt, account, service, origin, destination, recipient, reference, packages } = payload;
  const { deliveries, moreDeliveries, pictures, morePictures } = payload;
  const notes = [
    moreDeliveries > 0 && `Hay ${moreDeliveries} entregas más.`,
    morePictures > 0 && `Hay ${morePictures} imágenes más.`,
    pictures.length === 0 && 'No hay imágenes de la entrega.',
  ];
  return {
    account: inCharset(account),
    created: dateText(createdAt),
    service: SERVICES[service],
    origin: inCharset(`${origin.code} · ${origin.name}`),
    destination: inCharset(`${destination.code} · ${destination.name}`),
    recipient: inCharset(recipient),
    reference: inCharset(reference ?? NONE),
    packages: String(packages),
    rows: deliveries.map((delivery, i) => {
      const y = FIRST_ROW + i * ROW_HEIGHT;
      return {
        ...{ y, ruleY: y + 12 },
        date: dateText(delivery.at),
        branch: inCharset(delivery.branch ?? NONE),
        package: delivery.package === undefined ? 'Todos' : `${delivery.package} de ${packages}`,
        receiver: inCharset(delivery.receiver ?? NONE),
      };
    }),
    notes: notes.filter(Boolean).join(' '),
  };
}

/** @param place on its page, from 0. */
function pictureView({ name, package: of, jpeg }: Picture, place: number, isFirst: boolean) {
  const { rows, height } = isFirst ? FIRST_PAGE : OTHER_PAGES;
  const y = rows[place >> 1] ?? 0;
  return {
    caption: of === undefined ? CAPTIONS[name] : `${CAPTIONS[name]} · paquete ${of}`,
    uri: `data:image/jpeg;base64,${jpeg}`,
    x: COLUMNS[place % 2] ?? 0,
    captionY: y - 16,
    y,
    height,
  };
}
