/** Compares a chain's state with that of replaying its blocks. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { dumpState } from "../node/chain/recorded-chain.js";

/** The state differs from that of replaying the blocks. */
export class StateDifferenceError extends Error {
	override readonly name = "StateDifferenceError";
}

/**
 * Pushes every block of a chain to a fresh one, and compares all entries, except pending transactions.
 * @throws {StateDifferenceError} with the first entries that differ
 */
export async function compareWithReplay(open: OpenChain, fresh: OpenChain): Promise<void> {
	const head = open.chain.head.number;
	for (let number = 1n; number <= head; number++) {
		const block = open.chain.blockByNumber(number);
		if (!block) throw new StateDifferenceError(`block ${number} is missing`);
		fresh.chain.push(SignedBlock.decode(block.bytes), "peer");
	}
	open.database.revert(0);
	const [state, expected] = [await dumpState(open), await dumpState(fresh)];
	const keys = new Set([...state.keys(), ...expected.keys()]);
	const differences = [...keys].filter((key) => state.get(key) !== expected.get(key));
	if (differences.length === 0) return;
	const shown = differences
		.slice(0, 3)
		.map((key) => `${key}: ${state.get(key)} instead of ${expected.get(key)}`);
	throw new StateDifferenceError(
		`${differences.length} entries differ after block ${head}, first\n${shown.join("\n")}`,
	);
}
