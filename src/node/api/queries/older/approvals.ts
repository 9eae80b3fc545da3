/** Before release 4.8.2, signatures were not truncated, and all signers were listed, authorized or not. */

import { SignatureError } from "../../../../protocol/signature.js";
import type { Older } from "../../../rules/release.js";
import type { SignatureReading, Weighed } from "../signatures.js";

/** @param refused what can't be weighed, and why; the text of a missing account without a reason */
export const olderReading = (refused: (cause?: SignatureError) => Weighed): Older<SignatureReading> => ({
	"4.8.1": {
		readable: (_context, transaction) => transaction,
		approved: ({ state }, transaction) => {
			if (!state.account.has(transaction.owner)) return refused();
			try {
				const signers = transaction.message.signature.map((_signature, index) => transaction.signer(index));
				return { signers, weight: 0n };
			} catch (error) {
				if (error instanceof SignatureError) return refused(error);
				throw error;
			}
		},
	},
	"4.8.0": {},
});
