/** A token contract compiled from Solidity, with any number of holders. */

import { readFileSync } from "node:fs";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { stores } from "../../src/node/state/definition.js";
import { RowKeys } from "../../src/node/vm/storage-keys.js";
import { wordFromBytes } from "../../src/node/vm/word.js";
import { addressFromHash } from "../../src/protocol/address.js";
import { concatBytes, fromHex, fromKey } from "../../src/protocol/bytes.js";
import { keccak256 } from "../../src/protocol/hash.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../src/protocol/messages.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";
import type { RawEntry } from "./data-set.js";
import { type Sender, signedBy } from "./network.js";

/** Storage slot of the mapping of balances. */
const BALANCES_SLOT = 2;
export const FEE_LIMIT_SUN = 1_000_000_000n;
const BALANCE = fromHex((10n ** 24n).toString(16).padStart(64, "0"));

interface Compiled {
	readonly contracts: {
		readonly Token: { readonly code: string; readonly selectors: Readonly<Record<string, string>> };
	};
}
const { Token } = (JSON.parse(readFileSync("bench/contracts/compiled.json", "utf8")) as Compiled).contracts;
const SELECTORS = {
	transfer: fromHex(Token.selectors["transfer(address,uint256)"] as string),
	approve: fromHex(Token.selectors["approve(address,uint256)"] as string),
};

const word = (value: number): Uint8Array => fromHex(value.toString(16).padStart(64, "0"));

/** A holder without a known key, as a word. */
function holderAt(index: number): Buffer {
	const holder = Buffer.alloc(32);
	for (let at = 12; at < 28; at += 4) holder.writeUInt32BE(Math.imul(index + at, 0x9e3779b1) >>> 0, at);
	holder.writeUInt32BE(index, 28);
	return holder;
}
const holderOf = ({ address }: Sender): Buffer => Buffer.concat([Buffer.alloc(12), address.subarray(1)]);

/** The contract created by the first transaction of block 2. */
export function tokenOf({ chain }: OpenChain): { readonly address: Uint8Array; readonly keys: RowKeys } {
	const creation = chain.blockByNumber(2n)?.transactions[0];
	if (!creation) throw new Error("there is no contract");
	const address = addressFromHash(keccak256(concatBytes(creation.id, creation.owner)));
	const contract = chain.state.contract.get(address);
	return { address, keys: new RowKeys(address, contract?.trx_hash, contract?.version) };
}

/** Storage rows of balances, ascending: bucketed by the first byte after the prefix, to sort in parts. */
function* rows(keys: RowKeys, holders: Iterable<Buffer>): Generator<RawEntry> {
	const shares: string[][] = Array.from({ length: 256 }, () => []);
	const slot = Buffer.alloc(64);
	slot[63] = BALANCES_SLOT;
	for (const holder of holders) {
		slot.set(holder);
		const key = keys.shared(wordFromBytes(keccak256(slot)));
		shares[key.charCodeAt(keys.prefix.length)]?.push(key);
	}
	const prefix = Uint8Array.of(stores.storageRow.index);
	for (const share of shares) {
		for (const key of share.sort()) yield [concatBytes(prefix, fromKey(key)), BALANCE];
	}
}

function* holders(count: number, senders: readonly Sender[]): Generator<Buffer> {
	for (const sender of senders) yield holderOf(sender);
	for (let index = senders.length; index < count; index++) yield holderAt(index);
}

/** Storage rows for `count` holders, ascending, including the senders. */
export function holderRows(open: OpenChain, count: number, senders: readonly Sender[]): Iterable<RawEntry> {
	return rows(tokenOf(open).keys, holders(count, senders));
}

/** The transaction that creates the contract: the first of block 2. */
export function tokenCreation(open: OpenChain, owner: Sender): SignedTransaction {
	const creation = CreateSmartContract.create({
		owner_address: owner.address,
		new_contract: SmartContract.create({
			origin_address: owner.address,
			bytecode: concatBytes(fromHex(Token.code), word(96), holderOf(owner), word(1), word(1), word(0)),
			consume_user_resource_percent: 100n,
			origin_energy_limit: 1n,
		}),
	});
	return signedBy(owner, open, "CreateSmartContract", creation, { feeLimitSun: FEE_LIMIT_SUN });
}

/** A call that transfers or approves one token. @param index the recipient's index among the holders */
export function tokenCall(
	open: OpenChain,
	{ address }: Sender,
	senders: readonly Sender[],
	index: number,
	name: "transfer" | "approve" = "transfer",
): TriggerSmartContract {
	const receiver = senders[index];
	return TriggerSmartContract.create({
		owner_address: address,
		contract_address: tokenOf(open).address,
		data: concatBytes(SELECTORS[name], receiver ? holderOf(receiver) : holderAt(index), word(1)),
	});
}
