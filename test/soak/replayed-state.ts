/** The state of a chain beside the state that its blocks alone make of a new one. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { dumpState } from "../node/chain/recorded-chain.js";

/** The state is not what the blocks make of it. */
export class StateDifferenceError extends Error {
	override readonly name = "StateDifferenceError";
}

/**
 * Pushes every block of a chain to a new one and compares all entries; pending transactions don't count.
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
