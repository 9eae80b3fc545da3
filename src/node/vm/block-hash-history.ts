/**
 * The EIP-2935 contract that keeps the ids of the last 8191 blocks (protocol/machine §20). #95 installs it;
 * from then on, each block writes its parent's id into the contract's storage before its first transaction.
 */

import { EMPTY, fromHex } from "../../protocol/bytes.js";
import { Account, AccountType, SmartContract } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import { becomeContract } from "./creation.js";
import { writeSlot } from "./storage-keys.js";

const ADDRESS = fromHex("410000f90827f1c53a10cb7a02335b175320002935");
const ORIGIN = fromHex("413462413af4609098e1e27a490f554f260213d685");
const CODE = fromHex(
	"3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500",
);

/** Number of blocks whose ids are kept. */
const WINDOW = 8191n;

const STORAGE = { address: ADDRESS, creationId: EMPTY, version: 0 };

/** Installs the contract by writing state directly. Does nothing if the address already has a contract. */
export function installBlockHashHistory(state: StateView): void {
	if (state.code.has(ADDRESS) || state.contract.has(ADDRESS)) return;
	const account = state.account.get(ADDRESS);
	state.account.put(
		ADDRESS,
		account ? becomeContract(account) : Account.create({ address: ADDRESS, type: AccountType.Contract }),
	);
	state.code.put(ADDRESS, CODE);
	state.contract.put(
		ADDRESS,
		SmartContract.create({
			contract_address: ADDRESS,
			origin_address: ORIGIN,
			name: "BlockHashHistory",
			consume_user_resource_percent: 100n,
		}),
	);
	state.properties.set("BLOCK_HASH_HISTORY_INSTALLED", 1n);
}

/**
 * Writes the parent's id, once the contract is installed. Called when a block is applied and when one is
 * packed, before the first transaction.
 * @param number of the block
 * @param parentId 32 bytes
 */
export function recordParentId(state: StateView, number: bigint, parentId: Uint8Array): void {
	if (number <= 0n || !state.properties.on("BLOCK_HASH_HISTORY_INSTALLED")) return;
	writeSlot(state, STORAGE, Number((number - 1n) % WINDOW), parentId);
}
