import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { REDIS_FAMILIES } from '#local/access/redis-acl.ts';
import { DEMO_USERS } from '#local/demo-data.ts';
import { CORE, ROOMS } from '#services/api/app.ts';
import { loadCommands } from '#services/api/cli.ts';
import { type MakeAdjusters, NO_ADJUSTMENTS } from '#services/api/guides/adjusting.ts';
import { Port } from '#services/api/platform/port.ts';
import { CALLS } from '#services/label-worker/label/attributes.ts';
import {
  sample,
  sampleLabels,
  withReturnAddress,
} from '#services/label-worker/label/template-files/sample-labels.ts';
import { labelView } from '#services/label-worker/label/view.ts';
import { testBand } from '#shared/documents/printed-texts.ts';
import { GUIDE_STATUSES, STATES } from '#shared/guides/event-types.ts';
import type { RoomData } from '#shared/room-data.ts';
import { CUSTOMER_PERMISSIONS, ROOMS_DATA } from '#shared/rooms.ts';
import { MONGO_USERS, pathsOfUser } from '#shared/stores/collection.ts';
import { REDIS_SERVICES } from '#shared/stores/redis-families.ts';
import { SETTINGS } from '#test/ops/settings.ts';

/** The tables of the documents that are written from the code, each as Markdown. */

type Setting = {
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  writeOnly?: boolean;
};

/** Every setting of every service, as their schemas say. */
function settings(): string {
  const uses = Object.entries(SETTINGS).flatMap(([service, { properties, required }]) =>
    Object.entries(properties as Record<string, Setting>).map(([name, setting]) => {
      const needed = required?.includes(name) && setting.default === undefined;
      return { name, service, setting, standard: needed ? 'required' : standard(setting) };
    }),
  );
  const rows = [...Map.groupBy(uses, ({ name }) => name)].map(([name, all]) => {
    const standards = new Set(all.map((use) => use.standard));
    const own = ({ service, standard }: (typeof all)[number]) => `${service} ${standard}`;
    const setting = all[0]?.setting ?? {};
    return [
      `\`${name}\``,
      all.length === Object.keys(SETTINGS).length ? 'all' : all.map(({ service }) => service).join(', '),
      (standards.size === 1 ? [...standards] : all.map(own)).join(', ') +
        (setting.writeOnly ? ', secret' : ''),
      meaning(setting),
    ];
  });
  return table(['variable', 'services', 'default', 'meaning'], rows);
}

function standard({ default: value }: Setting): string {
  return value === undefined || value === '' ? 'none' : `\`${value}\``;
}

function meaning(setting: Setting): string {
  const { description, enum: values, default: value, examples: [example] = [] } = setting;
  const sentences = [
    description,
    values && `One of ${values.join(', ')}`,
    example !== undefined && example !== value && `Example: \`${example}\``,
  ];
  return sentences
    .filter(Boolean)
    .map((sentence) => `${sentence}.`)
    .join(' ');
}

/** The states of packages, from the least advanced on. */
function states(): string {
  const ofPackages = GUIDE_STATUSES.filter((status) => status !== 'Cancelado' && !STATES[status].prevails);
  return `${ofPackages.map((status) => `\`${status}\``).join(', ')}\n`;
}

/** The users of the demo data. */
function demoUsers(): string {
  const rows = DEMO_USERS.map(({ username, account, permissions, originBranch }) => [
    `\`${username}\``,
    `\`${account}\``,
    isDeepStrictEqual(permissions, CUSTOMER_PERMISSIONS)
      ? 'all of [customers](rooms.md)'
      : codes(permissions),
    originBranch ?? 'none',
  ]);
  return table(['user', 'account', 'permissions', 'origin'], rows);
}

/** The families of keys in Redis, and which service may use them. */
function redisKeys(): string {
  const rows = Object.values(REDIS_FAMILIES).map(({ keys, holds, life, own, read = [] }) => [
    codes(keys),
    ...[holds, life],
    REDIS_SERVICES.flatMap((service) => {
      if (own.includes(service)) return [service];
      return read.includes(service) ? [`${service} (reads)`] : [];
    }).join(', '),
  ]);
  return table(['key, after the prefix', 'what', 'life', 'who'], rows);
}

/** The collections of MongoDB, and which users use them. `npm run users:mongodb -- --print` prints the rights. */
function collections(): string {
  const rows = COLLECTIONS.map(({ name, id, holds, life, rights }) => [
    `\`${name}\``,
    id,
    holds,
    life,
    MONGO_USERS.flatMap((user) => {
      if (user === 'demo' || !rights[user]) return [];
      return [rights[user].every((right) => right === 'find') ? `${user} (reads)` : user];
    }).join(', '),
  ]);
  return table(['collection', '`_id`', 'what', 'life', 'who'], rows);
}

/** Returns names as code. */
function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ') || '–';
}

/** The commands of `npm run admin`, by room. */
async function adminCommands(): Promise<Record<string, string[]>> {
  const tools = {
    ...{ run: async () => {}, loadPersonalData: async () => [] },
    adjusters: new Port<MakeAdjusters>(() => NO_ADJUSTMENTS),
    followers: [],
  };
  const rooms = await loadCommands();
  return Object.fromEntries(
    rooms.map(({ room, addCommands }) => {
      const program = new Command();
      addCommands(program, tools);
      return [room, program.commands.map((command) => command.name())];
    }),
  );
}
const ADMIN_COMMANDS = await adminCommands();

/** What each room of the api is, and what it adds to lists of all rooms. */
function roomFacts(): string {
  const rows = ROOMS_DATA.map(({ name, about, permissions, actions, settings }: RoomData) => [
    name,
    about,
    Object.entries(permissions === 'none' ? {} : permissions)
      .map(([name, reach]) => `\`${name}\`${reach === 'own account' ? '' : ' (staff)'}`)
      .join(', ') || '–',
    codes(actions === 'none' ? [] : Object.keys(actions)),
    codes(settings === 'none' ? [] : Object.keys(settings)),
    codes(ADMIN_COMMANDS[name] ?? []),
  ]);
  return table(['room', 'what it is', 'permissions', 'actions', 'settings', 'commands'], rows);
}

/** The rooms of the api, and which of them needs which. Every room may import from the platform. */
function rooms(): string {
  const names = ROOMS.map(({ data }) => data.name);
  const core = CORE.map(({ data }) => data.name);
  const lines = ROOMS.flatMap(({ data, needs }) =>
    needs.map((need) => `  ${data.name} --> ${need.data.name}`),
  );
  const box = (title: string, within: readonly string[]) => [
    `  subgraph ${title}`,
    ...within.map((name) => `    ${name}`),
    '  end',
  ];
  const above = names.filter((name) => !core.includes(name));
  const graph = [
    'flowchart TD',
    ...box('above [On the core]', above),
    ...box('core [The core]', core),
    ...lines,
  ];
  return `\`\`\`mermaid\n${graph.join('\n')}\n\`\`\`\n`;
}

/** What each room keeps of people. */
function personalData(): string {
  const rows = ROOMS.flatMap(({ data, personalData }) =>
    personalData === 'none' ? [] : [[data.name, personalData.keeps, afterRemove(data)]],
  );
  return table(['room', 'what, and for how long', 'names of users after `admin remove`'], rows);
}

function afterRemove({ collections, users }: RoomData): string {
  if (users === 'none' || collections === 'none') return '–';
  const naming = collections.filter((collection) => pathsOfUser(collection).length > 0);
  const becomes = users.forgets === 'none' ? 'removed' : '`usuario eliminado`';
  return naming.map(({ name }) => `\`${name}\`: ${becomes}`).join(', ');
}

/** What each helper of label templates draws. */
const DRAWS: Readonly<Record<string, string>> = {
  '#page': 'The page, around everything else',
  '#eachPackage': 'A page for each package, with what stands inside',
  text: 'A text with its first baseline at `y`. It begins at `x`, or has its middle at `middle`, or ends at `right`',
  '#column': 'A column of `field`s; empty ones take no room',
  field:
    'A text of a `#column`; `whole`, `importance`, `minLines` and `tail` say [what is cut first](../../docs/labels.md#text-fitting), `framed` draws a frame around it',
  fit: 'A text where it stands, at most `maxLines` lines of `size` high',
  '#logo': 'The logo; `beside.x` and `beside.width` are the room between the logo and `right`',
  logo: 'The logo where it stands',
  picture: 'A photo, as large as its room allows, in the middle of it',
  rule: 'A black line',
  stamp: 'Outlined letters across what stands there, with their centre at `middle` and `y`',
  serviceMark: 'A filled square with a white `D` or `S`',
  path: 'An SVG path',
  qr: 'A QR code, its quiet zone included',
  barcode: 'A Code 128; `module` is the width of its narrowest bar',
};

/** The helpers of label templates with what they draw and their attributes. */
function helpers(): string {
  const rows = Object.entries(CALLS).map(([helper, { attributes }]) => {
    const names = Object.entries(attributes).map(
      ([name, type]) => `\`${name}\`${type.endsWith('?') ? '?' : ''}`,
    );
    return [`\`${helper}\``, DRAWS[helper] ?? '', names.join(', ') || '–'];
  });
  return table(['helper', 'draws', 'attributes'], rows);
}

/** The fields of label templates, each with an example. */
function fields(): string {
  const { pickUp } = labelView(sampleLabels('medium')['pick-up'] ?? sample());
  const marks = [{ text: 'COBRAR $450.50' }];
  const former = '390458235877';
  const usual = withReturnAddress(sample({ kind: 'medium', packages: 3, route: 'R-12', marks, former }));
  const { packages, ...view } = labelView(usual);
  return leavesOf({ ...view, test: testBand(true), pickUp, package: packages[0] })
    .map(([path, value]) => `- \`${path}\`: ${value ?? 'the logo as a `data:` URI, where there is one'}\n`)
    .join('');
}

function leavesOf(value: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, part]): [string, unknown][] =>
    typeof part === 'object' && part ? leavesOf(part, `${prefix}${name}.`) : [[prefix + name, part]],
  );
}

function table(heads: string[], rows: string[][]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

/** The tables by the names that their documents have for them. */
export const TABLES = {
  ...{ settings, states, demoUsers },
  ...{ roomFacts, rooms, personalData, redisKeys, collections, helpers, fields },
} satisfies Record<string, () => string>;
