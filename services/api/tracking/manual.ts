import { AT_DESTINATION, GUIDE_STATUSES, STATES, type State } from '#shared/guides/event-types.ts';
import { MAX_EVENTS } from '#shared/tracking/event.ts';
import { fieldsTable, markdownTable, type Section } from '../http/tables.ts';
import { EventFields } from './schemas.ts';

/** What the chapters of the guide for integrators say of events. */
export function trackingValues() {
  return {
    maxEventos: MAX_EVENTS,
    estados: statesTable(),
    camposDeEvento: fieldsTable(EventFields as Section),
  };
}

/** Every value of SEND_ESTATUS, with what the tracking page says of it. */
function statesTable(): string {
  return markdownTable(
    ['Estado', 'La página dice'],
    GUIDE_STATUSES.map((status) => {
      const words = ({ title, sentence }: State) => `**${title}.** ${sentence}`;
      const atDestination = Object.entries(AT_DESTINATION).map(
        ([service, state]) => `En la de destino, con \`${service}\`: ${words(state)}`,
      );
      const all = [words(STATES[status]), ...(status === 'EnSucursal' ? atDestination : [])];
      return [`\`${status}\``, all.join(' ')];
    }),
  );
}
