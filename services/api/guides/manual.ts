import { KEY_DAYS } from '#shared/guides/creation-model.ts';
import { MAX_GUIDES, MAX_PACKAGES } from '#shared/guides/guide.ts';
import { fieldsTable, markdownTable, readableJson, type Section } from '../http/tables.ts';
import { GUIDE_EXAMPLES } from './examples.ts';
import { SENT_FIELDS } from './schemas.ts';
import { WHEN_REPEATED, WHEN_TO_REPEAT, WHEN_TO_REPEAT_HEADS } from './when-to-repeat.ts';

/** What the chapters of the guide for integrators say of guides. */
export function guideValues() {
  return {
    maxGuias: MAX_GUIDES,
    maxPaquetes: MAX_PACKAGES,
    diasDeClave: KEY_DAYS,
    guiaMinima: readableJson(GUIDE_EXAMPLES.minima.value),
    campos: fieldSections(),
    ejemplos: Object.values(GUIDE_EXAMPLES)
      .map(({ summary, value }) => `### ${summary}\n\n\`\`\`\n${readableJson(value)}\n\`\`\``)
      .join('\n\n'),
    cuandoRepetir: markdownTable(WHEN_TO_REPEAT_HEADS, WHEN_TO_REPEAT),
    cuandoRepetirNota: WHEN_REPEATED,
  };
}

function fieldSections(): string {
  return Object.entries(SENT_FIELDS as Record<string, Section>)
    .map(([name, section]) => {
      const { description, properties } = section;
      const table = fieldsTable(properties ? section : { properties: { [name]: section } });
      return [`## \`${name}\``, ...(properties ? [`${description}.`] : []), table].join('\n\n');
    })
    .join('\n\n');
}
