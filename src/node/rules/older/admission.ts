/** What releases before 4.8.2 ask otherwise of what comes from outside (protocol/releases §§2 and 5). */

import { toHex } from "../../../protocol/bytes.js";
import type { Admission } from "../admission.js";
import type { Older } from "../release.js";

export const olderAdmission: Older<Admission> = {
	"4.8.1": {
		received: (message) => message,
		isStrangeSignature: () => false,
		rootMismatch: (number) => `The merkle hash is not validated for ${number}`,
		foreignSignature: (_transaction, signature) => toHex(signature),
		checksAnnouncedRoot: false,
		checksBranchSignature: false,
		movesAccountIds: false,
	},
	"4.8.0": {
		closesTrades: () => false,
		closesShielded: () => false,
		alwaysIndexesLogs: false,
		needsBlackHole: false,
	},
};
