import { formatPesos } from '../platform/amounts.ts';
import type { PersonalData } from '../platform/personal-data.ts';
import { Ledger } from './ledger.ts';

export const codPersonalData: PersonalData = {
  keeps: '`codLedger` and `codCollections` have numbers of guides and amounts, for ever, and name nobody',
  users: 'none',
  accounts: {
    isOfTests: 'none',
    describeInherited: async (mongo, account) => {
      const { number } = await new Ledger(mongo).end(account);
      return number === 0 ? '' : 'sus cobros';
    },
    async refuseClosing(mongo, account) {
      const { balance } = await new Ledger(mongo).end(account);
      if (balance <= 0) return '';
      return `A la cuenta ${account} se le deben ${formatPesos(balance)} MXN de cobros: paguelos antes con cobros pagar --account ${account}`;
    },
    async closeAccount(mongo, account) {
      const { number, balance } = await new Ledger(mongo).end(account);
      if (number === 0) return '';
      const debt = balance < 0 ? ` Debe ${formatPesos(-balance)} MXN de cobros que se anularon.` : '';
      return `\nSus cobros y liquidaciones se conservan.${debt}`;
    },
  },
  besideGuides: 'none',
  accountTexts: 'none',
};
