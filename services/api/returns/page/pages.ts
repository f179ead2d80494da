import type { ApiConfig } from '../../config.ts';
import type { PageProblem } from '../../http/public-pages/answers.ts';
import { publicPageKit } from '../../http/public-pages/page-frame.ts';
import type { placeOf } from '../../tracking/page/pages.ts';
import { LINK_PATH } from '../link.ts';

/** The page behind a link: what a person needs to give a parcel back, and nobody's name. */
type LinkView = {
  title: string;
  /** The guide of the return, and the one by which the parcel came. */
  number: string;
  original: string;
  isTest: boolean;
  /** Where the parcel is taken. The name alone stays if the branches service is away, or the branch has closed. */
  branch: { name: string } & Partial<ReturnType<typeof placeOf>>;
  /** The last day of the link, in words. */
  until: string;
  packages: number;
  isOne: boolean;
  privacyNotice: string | null;
};

export const STYLE_PATH = `${LINK_PATH}/devolver.css`;
const kit = publicPageKit(new URL('views/', import.meta.url), STYLE_PATH);

export const STYLE = kit.style('devolver.css');
export const linkPage = kit.page<LinkView>('enlace');
export const problemPage = kit.page<PageProblem & Pick<LinkView, 'privacyNotice'>>('problema');

/** What every page has. */
export function frameOf({
  CARRIER_NAME: carrier,
  PRIVACY_NOTICE_URL: privacyNotice,
}: Pick<ApiConfig, 'CARRIER_NAME' | 'PRIVACY_NOTICE_URL'>) {
  return { carrier, privacyNotice: privacyNotice ?? null };
}

/** Returns a function that writes the day of a moment: `lunes 21 de diciembre`. */
export function dayWriter(timeZone: string): (moment: Date) => string {
  const day = new Intl.DateTimeFormat('es-MX', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  return (moment) => {
    const parts = Object.fromEntries(day.formatToParts(moment).map(({ type, value }) => [type, value]));
    return `${parts.weekday} ${parts.day} de ${parts.month}`;
  };
}
