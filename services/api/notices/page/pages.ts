import type { ApiConfig } from '../../config.ts';
import type { PageProblem } from '../../http/public-pages/answers.ts';
import { publicPageKit } from '../../http/public-pages/page-frame.ts';

/** Where links lead, before their token. */
export const REFUSAL_PATH = '/avisos';

/** The page on which a person refuses notices, or takes it back. It does not show the address, which nobody could read from the link. */
type RefusalView = { title: string; isRefused: boolean; action: string; privacyNotice: string | null };

export const STYLE_PATH = `${REFUSAL_PATH}/avisos.css`;
const kit = publicPageKit(new URL('views/', import.meta.url), STYLE_PATH);

export const STYLE = kit.style();
export const refusalPage = kit.page<RefusalView>('rehusar');
export const problemPage = kit.page<PageProblem>('problema');

/** What every page has. */
export function frameOf({
  CARRIER_NAME: carrier,
  PRIVACY_NOTICE_URL: privacyNotice,
}: Pick<ApiConfig, 'CARRIER_NAME' | 'PRIVACY_NOTICE_URL'>) {
  return { carrier, privacyNotice: privacyNotice ?? null };
}
