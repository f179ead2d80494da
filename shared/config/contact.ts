import { phoneHref } from '../phones/phone.ts';

/** How people reach the carrier: what they read, and where it leads. */
export type Contact = { kind: 'phone' | 'email' | 'page'; text: string; href: string };

/** With an area code; people write blanks, dashes and parentheses. */
const PHONE = /^\+?\(?[0-9](?:[ ().-]{0,3}[0-9]){6,14}$/;
const EMAIL = /^[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** Reads `CARRIER_CONTACT`. @throws Error with what is wrong. */
export function readContact(text: string): Contact {
  if (PHONE.test(text)) return { kind: 'phone', text, href: phoneHref(text) };
  if (EMAIL.test(text)) return { kind: 'email', text, href: `mailto:${text}` };
  const url = /^https?:\/\/\S+$/.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password) {
    throw new Error(
      'must be a phone of 7 to 15 digits, an e-mail address, or the address of a page that begins with https:// or http://',
    );
  }
  return { kind: 'page', text: text.replace(/^https?:\/\//, '').replace(/\/$/, ''), href: url.href };
}

/** Returns what is wrong with `CARRIER_CONTACT`. */
export function explainContact(setting: string): string | undefined {
  try {
    readContact(setting);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
