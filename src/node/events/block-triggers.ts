/** Blocks as triggers (protocol/events §3). */

import type { SignedBlock } from "../../protocol/block.js";
import type { LoadedBlock } from "./loaded-block.js";
import type { Trigger } from "./receivers/event-message.js";

export function blockTrigger({ block, solidNumber }: LoadedBlock): Trigger {
	return {
		timestampMs: block.timestampMs,
		id: block.idHex,
		members: {
			blockNumber: block.number,
			blockHash: block.idHex,
			transactionSize: block.transactions.length,
			latestSolidifiedBlockNumber: solidNumber,
			transactionList: block.transactions.map(({ idHex }) => idHex),
		},
	};
}

/** A block that is solidified now. */
export function solidityTrigger(block: SignedBlock): Trigger {
	return {
		timestampMs: block.timestampMs,
		id: block.idHex,
		members: { latestSolidifiedBlockNumber: block.number },
	};
}
