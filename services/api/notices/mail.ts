import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { ANONYMOUS } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { type ApiConfig, trackingUrl } from '../config.ts';
import { carrierOf } from '../tracking/page/pages.ts';
import { mailTemplate } from './mail-template.ts';
import type { Standing } from './notice-states.ts';
import type { Service } from './service.ts';

/** An encoded word has 75 characters at most (RFC 2047). */
const WORD_LENGTH = 75;
/** One mailbox, without quotes, comments and lists, and of ASCII: what a mail server takes in any case. */
const MAILBOX = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
/** Most characters of a sender's name: it is no place for a message to a stranger. */
const MAX_SHOP = 40;
/** The tracking page has the reason below; a mail has it in its title. */
const ON_THE_PAGE = 'Lo estamos resolviendo. En la página de rastreo está lo que pasó.';

/** Returns the recipient's address, if there is one to which a mail can go. */
export function addressOf({ anonymised, guide }: GuideDocument): string | undefined {
  const { Email = '' } = guide.Destinatario;
  return !anonymised && MAILBOX.test(Email) ? Email : undefined;
}

/** What a mail is made of. `id`: that of the notice; `token`: by which its recipient refuses. */
type Told = { id: string; guide: GuideDocument; standing: Standing; address: string; token: string };

/** Returns a function that writes a mail, with all of its headers. @throws ConfigError as `mailTemplate` does. */
export function mailWriter(config: ApiConfig, { from, publicUrl, privacyNotice }: Service) {
  const { carrier, contact } = carrierOf(config);
  const render = mailTemplate(config.NOTICE_TEMPLATE);
  return async ({ id, guide, standing, address, token }: Told): Promise<Buffer> => {
    const { title, state } = standing;
    const refusal = `${publicUrl}/avisos/${token}`;
    const { subject, text, html } = render({
      shop: shopOf(guide),
      event: title.charAt(0).toLowerCase() + title.slice(1),
      ...{ title, sentence: state === 'Incidencia' ? ON_THE_PAGE : standing.sentence },
      number: guide._id,
      tracking: trackingUrl(config).replace('{guia}', guide._id),
      ...{ carrier, contact, privacyNotice, refusal },
    });
    const composer = new MailComposer({
      from: { name: carrier, address: from },
      to: { name: '', address },
      messageId: `<${id}@${from.split('@')[1]}>`,
      ...{ text, html },
      headers: {
        // As one encoded word after the other: a name that looks like an encoded word is read as it is written.
        Subject: { prepared: true, foldLines: true, value: encodeWord(subject, 'Q', WORD_LENGTH) },
        'List-Unsubscribe': { prepared: true, value: `<${refusal}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return composer.compile().build();
  };
}

/** Returns the sender's name, so that no mail program makes a link or a phone number of a part of it; empty if it was erased. */
function shopOf({ guide }: GuideDocument): string {
  const { Nombre } = guide.Remitente;
  if (Nombre === ANONYMOUS) return '';
  const name = [...Nombre.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ')];
  const cut = name.length > MAX_SHOP ? [...name.slice(0, MAX_SHOP), '…'] : name;
  return cut.join('').replaceAll(/(?<=\S)[.:/@](?=\S)|\p{Nd}(?=\p{Nd})/gu, '$&\u2060');
}
