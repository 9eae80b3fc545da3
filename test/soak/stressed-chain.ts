/** The small chain of the unit tests, with limits so low that its database is written constantly. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { ChainError } from "../../src/node/rules/errors.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { openSmall, produce, transfer, users } from "../node/chain/small-chain.js";
import { between, type Random } from "./random.js";

export async function openStressed(dataDirectory: string | undefined): Promise<OpenChain> {
	installRecoverEngine();
	return openSmall({ dataDirectory, flushLimits: { entries: 60, logBytes: 30_000 } });
}

/** @returns id of a transfer that entered the pool; undefined if refused */
export function stressTransfer(open: OpenChain, random: Random): string | undefined {
	const from = between(random, 0, users.length - 1);
	const to =
		random() < 0.3 ? Buffer.alloc(21, 0x41) : (users[between(random, 0, users.length - 1)] as Uint8Array);
	const transaction = transfer(open, from, to, BigInt(between(random, 1, 1_000_000)));
	try {
		open.chain.pushTransaction(transaction);
		return transaction.idHex;
	} catch (error) {
		if (error instanceof ChainError) return undefined;
		throw error;
	}
}

export function stressBlock(open: OpenChain): SignedBlock {
	return produce(open);
}
