/**
 * The root of the table of old rewards that a reference node derives: on the public networks it is known, so it shows that
 * what was read is what is there (protocol/adoption §5). We calculate old rewards from the state and keep no such table.
 */

import { concatBytes, equalBytes, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import type { PublicNetwork } from "../../protocol/public-networks.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import type { ForeignEntry } from "./engine/foreign-store.js";

/** By network, from `storage.merkleRoot.reward-vi` of its nodes. */
export const REWARD_ROOTS: Readonly<Record<PublicNetwork, string>> = {
	main: "9debcb9924055500aaae98cdee10501c5c39d4daa75800a996f4bdda73dbccd8",
	nile: "b474b61f93824cd70106f8f5283fa740d61b83a7d57a3c12401d627f1fae0a77",
};
/** Marks the table as complete. */
const MARKER = Uint8Array.of(0);
/** Rows after which others get a turn. */
const TURN_ROWS = 4_096;

/**
 * What differs, a sentence or none. A table that isn't complete, as in a node that has just begun it, says nothing.
 * @param rows of the store `reward-vi`, ascending
 */
export async function rewardRootDifference(
	rows: Iterable<ForeignEntry>,
	expected: string,
): Promise<string | undefined> {
	const all = new RootOfRows();
	const unmarked = new RootOfRows();
	let isComplete = false;
	let count = 0;
	for (const [key, value] of rows) {
		const leaf = sha256(concatBytes(key, value));
		all.add(leaf);
		if (equalBytes(key, MARKER)) isComplete = value.length === 1 && value[0] === 1;
		else unmarked.add(leaf);
		if (++count % TURN_ROWS === 0) await yieldToEventLoop();
	}
	if (!isComplete) return undefined;
	const roots = [all.root(), unmarked.root()].map(toHex);
	if (roots.includes(expected)) return undefined;
	return `the ${count} rows of reward-vi have the root ${roots[0]}, and those of the network ${expected}`;
}

/** A Merkle root over leaves that come one by one: pairs are hashed, an odd one moves up unchanged. */
export class RootOfRows {
	/** The roots of whole trees, the widest first. */
	private readonly trees: { readonly height: number; readonly root: Uint8Array }[] = [];

	add(leaf: Uint8Array): void {
		let tree = { height: 0, root: leaf };
		for (let last = this.trees.at(-1); last?.height === tree.height; last = this.trees.at(-1)) {
			this.trees.pop();
			tree = { height: tree.height + 1, root: sha256(concatBytes(last.root, tree.root)) };
		}
		this.trees.push(tree);
	}

	/** Of no leaf: 32 zero bytes. */
	root(): Uint8Array {
		const [last, ...wider] = this.trees.map(({ root }) => root).reverse();
		return wider.reduce((right, left) => sha256(concatBytes(left, right)), last ?? new Uint8Array(32));
	}
}
