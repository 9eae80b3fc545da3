/** What releases before 4.8.2 hold otherwise against peers (protocol/peers §§5.2, 7.4 and 8). */

import type { Older } from "../../rules/release.js";
import type { Conduct } from "../peers/conduct.js";
import { Reason } from "../wire/application-messages.js";

const ANY = Number.POSITIVE_INFINITY;

export const olderConduct: Older<Conduct> = {
	"4.8.1": {
		unlimited: { maxRequestedBlocks: ANY, maxBlocksPerSecond: ANY },
		maxSummaryIds: ANY,
		isHelloSignatureLength: () => true,
		checkRepeated: () => {},
		unknownInventory: () => {},
		countedAhead: () => 0,
		isOfUse: (peer, _id, key) => !peer.announcedByUs.has(key),
		eliminable: (synced) => synced,
	},
	"4.8.0": {
		unlimited: {
			maxRequestedBlocks: ANY,
			maxBlocksPerSecond: ANY,
			summariesPerSecond: ANY,
			fetchesPerSecond: ANY,
			disconnectsPerSecond: ANY,
		},
		maxFetchedIds: ANY,
		malformedHello: Reason.UNEXPECTED_IDENTITY,
		solidBelowLowest: Reason.FORKED,
		badBlockSignature: Reason.UNKNOWN,
		isBlockIdLength: (length) => length > 0,
		served: () => {},
	},
};
