/** Admission checks of releases before 4.8.2 that differ (protocol/releases §§2 and 5). */

import { toHex } from "../../../protocol/bytes.js";
import type { Admission } from "../admission.js";
import type { Older } from "../release.js";

const NULL_TYPE =
	'Cannot invoke "org.coin.core.vm.repository.Type.isDirty()" because the return value of "org.coin.core.vm.repository.Value.getType()" is null';

export const olderAdmission: Older<Admission> = {
	"4.8.1": {
		closesTrades: () => true,
		received: (message, network) => (network === "nile" ? message.asReadOnNile() : message),
		isStrangeSignature: () => false,
		rootMismatch: (number) => `The merkle hash is not validated for ${number}`,
		// They are runtime errors.
		exchangeWork: (_guarded, work) => work(),
		foreignSignature: (_transaction, signature) => toHex(signature),
		checksAnnouncedRoot: false,
		checksBranchSignature: false,
		movesAccountIds: false,
	},
	"4.8.0": {
		closesTrades: () => false,
		closesShielded: () => false,
		// The network's runtime hit a null pointer; the text names it.
		emptyCode: (isConstantinople, wasThere) =>
			isConstantinople
				? ["java.lang.RuntimeException", "Unknown Exception"]
				: ["java.lang.NullPointerException", wasThere() ? NULL_TYPE : "Unknown Exception"],
		alwaysIndexesLogs: false,
		needsBlackHole: false,
	},
};
