import { completeHeader, type Producer, signedBlock } from "../../../src/node/chain/packing.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { sha256 } from "../../../src/protocol/hash.js";
import type { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";

/** Completes and signs a block of the caller's choice, which no chain packed. */
export function sealBlock(
	raw: BlockHeaderRaw,
	transactions: readonly SignedTransaction[],
	producer: Producer,
): SignedBlock {
	const header = completeHeader(raw, transactions);
	return signedBlock(raw, transactions, producer, producer.sign(sha256(header)));
}
