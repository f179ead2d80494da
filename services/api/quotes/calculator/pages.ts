import type { PageProblem } from '../../http/public-pages/answers.ts';
import { publicPageKit } from '../../http/public-pages/page-frame.ts';
import type { Calculation } from './calculate.ts';
import type { FieldView } from './form.ts';

type Form = { fields: FieldView[] };

export const STYLE_PATH = '/cotizador/cotizador.css';
const kit = publicPageKit(new URL('views/', import.meta.url), STYLE_PATH, ['campo', 'formulario', 'enlaces']);

export const STYLE = kit.style('cotizador.css');
/** The empty form, and the form with what is wrong in it. @param example the address of one that is filled in, after `?`. */
export const formPage = kit.page<Form & { title: string; isWrong: boolean; example: string | null }>('pedir');
export const pricesPage = kit.page<
  Form & Calculation & { title: string; origin: string; destination: string }
>('precios');
/** @param fields none where asking again is of no use. */
export const problemPage = kit.page<PageProblem & Form>('problema');
