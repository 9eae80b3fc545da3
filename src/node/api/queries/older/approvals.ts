/** Before release 4.8.2, signatures were looked at whole, and all that signed were listed, whether they may or not. */

import { SignatureError } from "../../../../protocol/signature.js";
import type { Older } from "../../../rules/release.js";
import type { SignatureReading } from "../signatures.js";
import { codeOf, noAccount } from "../weighing.js";

export const olderReading: Older<SignatureReading> = {
	"4.8.1": {
		readable: (_context, transaction) => transaction,
		approved: ({ state }, transaction) => {
			if (!state.account.has(transaction.owner)) return noAccount;
			try {
				const signers = transaction.message.signature.map((_signature, index) => transaction.signer(index));
				return { signers, weight: 0n };
			} catch (error) {
				if (!(error instanceof SignatureError)) throw error;
				return { signers: [], weight: 0n, refusal: { code: codeOf(error), message: error.message } };
			}
		},
	},
	"4.8.0": {},
};
