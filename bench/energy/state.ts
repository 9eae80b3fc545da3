/** Operations that access the chain's state, on a new entry each time where that costs more. */

import { stores } from "../../src/node/state/definition.js";
import type { StateView } from "../../src/node/state/view.js";
import { toAddress } from "../../src/node/vm/addresses.js";
import { RowKeys, storageRowKey } from "../../src/node/vm/storage-keys.js";
import type { Word } from "../../src/node/vm/word.js";
import { wordToBytes } from "../../src/node/vm/word.js";
import { toHex, toKey } from "../../src/protocol/bytes.js";
import {
	Account,
	AccountFreezeV2,
	AccountType,
	SmartContract,
	Vote,
	Witness,
} from "../../src/protocol/messages.js";
import { CALLEE, CONTRACT, type Shape } from "./host.js";

function eachAddress(state: StateView, used: readonly Word[], put: (address: Uint8Array) => void): void {
	for (const word of used) {
		const address = toAddress(word);
		if (!state.account.has(address)) put(address);
	}
}

function accounts(state: StateView, used: readonly Word[]): void {
	eachAddress(state, used, (address) =>
		state.account.put(address, Account.create({ address, balance: 10n ** 12n })),
	);
}

function contracts(state: StateView, used: readonly Word[]): void {
	eachAddress(state, used, (address) => {
		state.account.put(address, Account.create({ address, type: AccountType.Contract }));
		state.contract.put(address, SmartContract.create({ contract_address: address, origin_address: CALLEE }));
		state.code.put(address, Buffer.concat([Buffer.alloc(64, 0x5b), address]));
	});
}

function rows(state: StateView, used: readonly Word[]): void {
	const contract = { address: CONTRACT, creationId: new Uint8Array(0), version: 0 };
	for (const slot of used) {
		state.backend.put(
			stores.storageRow,
			toKey(storageRowKey(contract, slot)),
			wordToBytes((1n << 255n) + BigInt(slot)),
		);
	}
}

/** The same with storage keys of parameter #99. */
function ownRows(state: StateView, used: readonly Word[]): void {
	const keys = new RowKeys(CONTRACT, undefined, 0);
	for (const slot of used) {
		state.backend.put(stores.storageRow, keys.own(slot), wordToBytes((1n << 255n) + BigInt(slot)));
	}
}

/** Queries of an account: itself, always new missing ones, existing ones. */
const query = (name: string, prepare: NonNullable<Shape["prepare"]>): readonly Shape[] => [
	{ name: `${name}, itself`, covers: [name], body: `ADDRESS ${name} POP` },
	{ name: `${name}, others that aren't there`, covers: [name], body: `GAS ${name} POP` },
	{ name: `${name}, others`, covers: [name], body: `GAS ${name} POP`, watch: name, prepare, energy: 500_000 },
];

const WITNESSES = 30;
const witness = (i: number): Uint8Array => toAddress(0x7000 + i);

/** The contract has stakes, votes, and rewards of many cycles. */
function voter(state: StateView): void {
	for (let i = 0; i < WITNESSES; i++) {
		state.account.put(witness(i), Account.create({ address: witness(i) }));
		state.witness.put(witness(i), Witness.create({ address: witness(i), voteCount: 1000n }));
	}
	const votes = Array.from({ length: WITNESSES }, (_, i) =>
		Vote.create({ vote_address: witness(i), vote_count: 10n }),
	);
	const account = Account.copy(state.account.existing(CONTRACT));
	account.votes = votes;
	account.frozenV2 = [0, 1, 2].map((type) => AccountFreezeV2.create({ type, amount: 10n ** 13n }));
	state.account.put(CONTRACT, account);
	state.properties.set("CURRENT_CYCLE_NUMBER", 100n);
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_DELEGATE_RESOURCE", 1n);
}

/** Two arrays of 30 entries in memory: votes and witnesses. */
const ballot = [
	`0x${WITNESSES.toString(16)} PUSH0 MSTORE`,
	...Array.from({ length: WITNESSES }, (_, i) => `0x0a 0x${(32 + 32 * i).toString(16)} MSTORE`),
	`0x${WITNESSES.toString(16)} 0x800 MSTORE`,
	...Array.from(
		{ length: WITNESSES },
		(_, i) => `0x${(0x7000 + i).toString(16)} 0x${(0x820 + 32 * i).toString(16)} MSTORE`,
	),
].join(" ");

const stakes: readonly Shape[] = [
	{
		name: "VOTEWITNESS, 30 votes",
		covers: ["VOTEWITNESS"],
		before: ballot,
		body: "0x0800 0x1e PUSH0 0x1e VOTEWITNESS POP",
		unroll: 4,
		reserve: 200_000,
	},
	{
		name: "VOTEWITNESS, 98,000 votes",
		covers: ["VOTEWITNESS"],
		before: "0x017ed0 PUSH0 MSTORE 0x01 0x2fffe0 MSTORE",
		body: "PUSH0 0x017ed0 PUSH0 0x017ed0 VOTEWITNESS POP",
		unroll: 1,
		reserve: 2_000_000,
		energy: 23_000_000,
	},
	{ name: "WITHDRAWREWARD", covers: ["WITHDRAWREWARD"], body: "WITHDRAWREWARD POP", unroll: 2 },
	{ name: "FREEZE", covers: ["FREEZE"], body: "ADDRESS 0x0f4240 PUSH0 FREEZE POP", unroll: 2 },
	{ name: "UNFREEZE", covers: ["UNFREEZE"], body: "ADDRESS PUSH0 UNFREEZE POP", unroll: 2 },
	{ name: "FREEZEEXPIRETIME", covers: ["FREEZEEXPIRETIME"], body: "ADDRESS PUSH0 FREEZEEXPIRETIME POP" },
	{
		name: "FREEZEEXPIRETIME, of others",
		covers: ["FREEZEEXPIRETIME"],
		body: "GAS PUSH0 FREEZEEXPIRETIME POP",
	},
	{
		name: "FREEZEBALANCEV2",
		covers: ["FREEZEBALANCEV2"],
		body: "0x0f4240 0x01 FREEZEBALANCEV2 POP",
		unroll: 4,
	},
	{
		name: "UNFREEZEBALANCEV2",
		covers: ["UNFREEZEBALANCEV2"],
		body: "0x01 0x01 UNFREEZEBALANCEV2 POP",
		unroll: 4,
	},
	{
		name: "CANCELALLUNFREEZEV2 of 4",
		covers: ["CANCELALLUNFREEZEV2", "UNFREEZEBALANCEV2"],
		body: `${"0x01 0x01 UNFREEZEBALANCEV2 POP ".repeat(4)}CANCELALLUNFREEZEV2 POP`,
		unroll: 1,
	},
	{
		name: "CANCELALLUNFREEZEV2 of none",
		covers: ["CANCELALLUNFREEZEV2"],
		body: "CANCELALLUNFREEZEV2 POP",
		unroll: 4,
	},
	{
		name: "WITHDRAWEXPIREUNFREEZE",
		covers: ["WITHDRAWEXPIREUNFREEZE"],
		body: "WITHDRAWEXPIREUNFREEZE POP",
		unroll: 4,
	},
	{
		name: "DELEGATERESOURCE",
		covers: ["DELEGATERESOURCE"],
		body: `0x7001 0x0f4240 0x01 DELEGATERESOURCE POP`,
		unroll: 4,
	},
	{
		name: "UNDELEGATERESOURCE",
		covers: ["UNDELEGATERESOURCE", "DELEGATERESOURCE"],
		body: `0x7001 0x0f4240 0x01 DELEGATERESOURCE POP 0x7001 0x0f4240 0x01 UNDELEGATERESOURCE POP`,
		unroll: 2,
	},
].map((shape) => ({ ...shape, prepare: voter }));

const SEPARATE = { separateRows: true };

/** Storage rows since #99, and the guard of block version 38. */
const laterStorage: readonly Shape[] = [
	{ name: "SLOAD, missing slots since #99", gates: SEPARATE, covers: ["SLOAD"], body: "GAS SLOAD POP" },
	...(
		[
			["stored slots since #99", ownRows],
			["slots stored before #99, which move", rows],
		] as const
	).map(
		([kind, prepare]): Shape => ({
			name: `SLOAD, ${kind}`,
			gates: SEPARATE,
			covers: ["SLOAD"],
			body: "GAS SLOAD POP",
			watch: "SLOAD",
			prepare,
			energy: 500_000,
		}),
	),
	{
		name: "SLOAD, missing slots since block version 38",
		gates: { endsSharedRows: true },
		covers: ["SLOAD"],
		body: "GAS SLOAD POP",
	},
	{
		name: "SSTORE, one slot since #99",
		gates: SEPARATE,
		covers: ["SSTORE"],
		body: "GAS PUSH0 SSTORE",
		unroll: 8,
	},
	{
		name: "SSTORE, new zeros since #99",
		gates: SEPARATE,
		covers: ["SSTORE"],
		body: "PUSH0 GAS SSTORE",
		unroll: 8,
	},
	{
		name: "SSTORE, new slots since #99",
		gates: SEPARATE,
		covers: ["SSTORE"],
		body: "GAS GAS SSTORE",
		unroll: 2,
		energy: 3_000_000,
	},
];

const OF_OTHERS = `0x${toHex(CALLEE.subarray(1))}`;

/** Writes two slots that share a row; then each frame reads another existing slot. */
const sharedRow = (which: string, first: bigint, second: bigint): Shape => ({
	name: `SLOAD, stored slots in frames, ${which}`,
	covers: ["SLOAD", "DELEGATECALL"],
	before: `0x05 0x${first.toString(16)} SSTORE 0x06 0x${second.toString(16)} SSTORE`,
	body: `PUSH0 PUSH0 PUSH0 PUSH0 ${OF_OTHERS} GAS DELEGATECALL POP`,
	callee: "GAS SLOAD STOP",
	watch: "SLOAD",
	prepare: rows,
});

/** Frames copy the storage; the order of writes matters if two slots share a row. */
const sharedRows: readonly Shape[] = [
	sharedRow("two slots share a row", 1n, (9n << 248n) + 1n),
	{
		...sharedRow("two slots of one hash share a row", (1n << 136n) + 1n, (31n << 128n) + 1n),
		isPacked: true,
	},
];

export const stateShapes: readonly Shape[] = [
	...["BALANCE", "EXTCODESIZE", "EXTCODEHASH", "ISCONTRACT"].flatMap((name) =>
		query(name, name === "BALANCE" ? accounts : contracts),
	),
	{ name: "BLOCKHASH", covers: ["BLOCKHASH"], body: "0x0320 BLOCKHASH POP" },
	{ name: "TOKENBALANCE", covers: ["TOKENBALANCE"], body: "ADDRESS 0x0f4241 TOKENBALANCE POP" },
	{ name: "TOKENBALANCE, of others", covers: ["TOKENBALANCE"], body: "GAS 0x0f4241 TOKENBALANCE POP" },
	{
		name: "EXTCODECOPY, an account that isn't there",
		covers: ["EXTCODECOPY"],
		body: "PUSH0 PUSH0 PUSH0 GAS EXTCODECOPY",
	},
	{
		name: "EXTCODECOPY, a word of itself",
		covers: ["EXTCODECOPY"],
		body: `0x20 PUSH0 PUSH0 0x${toHex(CONTRACT.subarray(1))} EXTCODECOPY`,
	},
	{ name: "SLOAD, one slot", covers: ["SLOAD"], body: "PUSH0 SLOAD POP" },
	{ name: "SLOAD, missing slots", covers: ["SLOAD"], body: "GAS SLOAD POP" },
	{
		name: "SLOAD, stored slots",
		covers: ["SLOAD"],
		body: "GAS SLOAD POP",
		watch: "SLOAD",
		prepare: rows,
		energy: 500_000,
	},
	{ name: "SSTORE, one slot", covers: ["SSTORE"], body: "GAS PUSH0 SSTORE", unroll: 8 },
	{ name: "SSTORE, new zeros", covers: ["SSTORE"], body: "PUSH0 GAS SSTORE", unroll: 8 },
	{ name: "SSTORE, new slots", covers: ["SSTORE"], body: "GAS GAS SSTORE", unroll: 2, energy: 3_000_000 },
	...laterStorage,
	...sharedRows,
	...stakes,
];

export { voter };
