/** HTTP and gRPC behaviour before release 4.8.2 (protocol/releases §§3 to 5). */

import { hashedLibrary } from "../../../protocol/json/older/hashed-library.js";
import { ContractValidateError } from "../../rules/errors.js";
import type { Older } from "../../rules/release.js";
import type { Answers } from "../answers.js";

export const olderAnswers: Older<Answers> = {
	"4.8.1": {
		library: hashedLibrary,
		refusesLength: () => false,
		measuresBytes: false,
		beforePool: (check) => check(),
		afterPool: () => {},
		shieldedOff: "ShieldedTransactionApi is not allowed",
		noncesBurns: false,
		amountOverflow: "Unbalanced burn!",
		refusesEvents: () => false,
		tellsOversize: false,
		deprecated: new Set(),
	},
	"4.8.0": {
		checkPool: ({ properties }) => {
			if (properties.on("ALLOW_SHIELDED_TRANSACTION")) return;
			throw new ContractValidateError("Not support Shielded Transaction, need to be opened by the committee");
		},
		checkTokens: ({ properties }) => {
			if (properties.on("ALLOW_SHIELDED_ORC20_TRANSACTION")) return;
			throw new ContractValidateError(
				"Not support Shielded ORC20 Transaction, need to be opened by the committee",
			);
		},
		lacking: new Set(["GetPaginatedNowWitnessList"]),
	},
};
