/** Queries a contract with notes of an ORC-20 token (protocol/wallet-formats §8.3), by constant calls. */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { concatBytes, EMPTY, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { TREE_DEPTH } from "../../protocol/sapling/sizes.js";
import { Failure, onRefusal } from "../failure.js";
import { callConstant } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";

const WORD = 32;

/** Selectors of the functions. */
const SELECTORS = {
	scalingFactor: "ed3437f8",
	nullifiers: "2997e86b",
	getPath: "e1765073",
	roots: "ae6dead7",
	token: "fc0c546a",
} as const;

export class ShieldedContract {
	constructor(
		private readonly client: NodeClient,
		/** 21 bytes. */
		readonly address: Uint8Array,
	) {}

	/** Units of the token per unit of a note. @throws {Failure} `not_found` if it is not such a contract */
	async scalingFactor(): Promise<bigint> {
		const factor = await this.answerOf("scalingFactor", EMPTY);
		if (factor.length < WORD || number(factor) === 0n)
			throw new Failure(
				"not_found",
				`there is no contract of shielded notes at ${toBase58Check(this.address)}`,
			);
		return number(factor);
	}

	/** The token's contract, 21 bytes; undefined if the contract doesn't provide it. */
	async token(): Promise<Uint8Array | undefined> {
		const answer = await this.answerOf("token", EMPTY).catch(onRefusal(EMPTY, "contract_revert"));
		const isAddress = answer.length === WORD && answer.subarray(0, 12).every((byte) => byte === 0);
		return isAddress && number(answer) > 0n ? addressFromHash(answer.subarray(12)) : undefined;
	}

	/** Whether a note is spent. Reveals to the node which note is queried. */
	async isSpent(nullifier: Uint8Array): Promise<boolean> {
		return equalBytes(await this.answerOf("nullifiers", nullifier), nullifier);
	}

	/** Whether this is a past or present root of the tree. */
	async knowsRoot(root: Uint8Array): Promise<boolean> {
		return equalBytes(await this.answerOf("roots", root), root);
	}

	/** The root, and the siblings on a note's path from the top. Reveals the queried note to the node. */
	async path(
		position: bigint,
	): Promise<{ readonly root: Uint8Array; readonly siblings: readonly Uint8Array[] }> {
		const answer = await this.answerOf("getPath", fromHex(position.toString(16).padStart(2 * WORD, "0")));
		if (answer.length !== (TREE_DEPTH + 1) * WORD)
			throw new Failure(
				"rpc_error",
				`the contract's path of the note ${position} has ${answer.length} bytes`,
			);
		const word = (index: number): Uint8Array => answer.slice(index * WORD, (index + 1) * WORD);
		return { root: word(0), siblings: Array.from({ length: TREE_DEPTH }, (_, i) => word(i + 1)) };
	}

	private async answerOf(name: keyof typeof SELECTORS, parameter: Uint8Array): Promise<Uint8Array> {
		const owner = addressFromHash(new Uint8Array(20));
		const data = concatBytes(fromHex(SELECTORS[name]), parameter);
		try {
			return (await callConstant(this.client, { owner, contract: this.address, data })).data;
		} catch (error) {
			if (error instanceof Failure && error.code === "contract_validate")
				throw new Failure("not_found", `there is no contract at ${toBase58Check(this.address)}`);
			throw error;
		}
	}
}

function number(word: Uint8Array): bigint {
	return BigInt(`0x${toHex(word.subarray(0, WORD))}`);
}
