import { count, duration, type WriteMoment } from '#shared/pages/format.ts';
import { type Answer, NAMED_GUIDES } from '#shared/stores/answer-log.ts';

const REFUSED = 400;

/** Returns what the api answered to each request, in the words of the page. */
export function answerViews(answers: readonly Answer[], write: WriteMoment) {
  return answers.map(({ at, ms, requestId, account, status, codigo, problems = [], guides, ...answer }) => ({
    ...{ requestId, account, status, guides },
    time: write(at),
    took: duration(ms),
    asked: askedWords(answer),
    codigo: codigo ?? null,
    isRefused: status >= REFUSED,
    problems: problems.map(({ codigo, campo }) => (campo === undefined ? codigo : `${campo}: ${codigo}`)),
    more: Math.max(0, answer.count - NAMED_GUIDES),
  }));
}

function askedWords({
  asked,
  tipo,
  format,
  count: guides,
}: Pick<Answer, 'asked' | 'tipo' | 'format' | 'count'>) {
  const form = [tipo, format].filter(Boolean).join(', ');
  if (asked === 'creation') return guides > 0 ? `Crear ${count(guides, 'guía', 'guías')}` : 'Crear guías';
  const what = asked === 'label' ? 'Etiqueta' : `Archivo de ${count(guides, 'guía', 'guías')}`;
  return form ? `${what} (${form})` : what;
}
