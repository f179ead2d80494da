import { Type } from 'typebox';
import { canaryAddress, SECRET } from '../config/settings.ts';

/** Settings of services that accept webhooks, or send to them. */
export const webhookSettings = {
  CANARY_URL: Type.Optional(canaryAddress),
  WEBHOOK_SECRETS_KEY: Type.Optional(
    Type.String({
      ...SECRET,
      description:
        'Secret that encrypts what signs messages to webhooks, at least 32 random characters. Without it, that is stored in clear text',
      examples: ['$(openssl rand -hex 32)'],
    }),
  ),
  WEBHOOK_SECRETS_KEY_PREVIOUS: Type.Optional(
    Type.String({
      ...SECRET,
      description: 'Second secret, which decrypts too, while WEBHOOK_SECRETS_KEY is rotated',
    }),
  ),
  WEBHOOKS_ALLOW_NETWORKS: Type.String({
    default: '',
    format: 'networks',
    description:
      'Networks that webhooks may lead to beside the internet, separated by commas. Customers reach every machine in them, by https on port 443 and above 1023',
    examples: ['10.20.30.0/24,fd12:3456:789a::/64'],
  }),
  WEBHOOKS_ALLOW_PRIVATE: Type.Boolean({
    default: false,
    description:
      'Whether webhooks may lead to private addresses, and use plain http and any port. Only for a machine of your own: customers could reach your network. Names are looked up in the DNS alone, not in /etc/hosts; localhost is this machine',
  }),
};
