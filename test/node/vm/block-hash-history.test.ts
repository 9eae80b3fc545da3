import { describe, expect, it } from "vitest";
import { chainParameter } from "../../../src/node/consensus/parameters.js";
import type { ForkGates } from "../../../src/node/rules/fork-gates.js";
import type { StateView } from "../../../src/node/state/view.js";
import { recordParentId } from "../../../src/node/vm/block-hash-history.js";
import { EMPTY, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import {
	Account,
	AccountAccountResource,
	AccountType,
	SmartContract,
	SmartContractABI,
} from "../../../src/protocol/messages.js";
import { assemble } from "./assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "./machine-fixture.js";

const ADDRESS = fromHex("410000f90827f1c53a10cb7a02335b175320002935");
const ID = fromHex("ab".repeat(32));
/** 2^13 - 1. */
const WINDOW = 8191;

/** Approves #95. */
function approve(state: StateView): void {
	const parameter = chainParameter(95n);
	if (!parameter) throw new Error("there is no #95");
	parameter.apply({
		state,
		forks: {} as ForkGates,
		property: parameter.property,
		value: 1n,
		sinceMs: 0n,
	});
}

const rowKey = (slot: number): Uint8Array =>
	fromHex(`08a62472cc9e6892d2deb3431f4ccfd3${slot.toString(16).padStart(32, "0")}`);

describe("#95", () => {
	it("installs the contract by direct writes", async () => {
		const state = await emptyState();
		approve(state);
		expect(state.properties.get("ALLOW_TVM_PRAGUE")).toBe(1n);
		expect(state.properties.get("BLOCK_HASH_HISTORY_INSTALLED")).toBe(1n);
		const code = state.code.get(ADDRESS) as Uint8Array;
		expect(code).toHaveLength(83);
		expect(toHex(keccak256(code))).toBe("6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d");
		expect(state.contract.get(ADDRESS)).toEqual(
			SmartContract.create({
				contract_address: ADDRESS,
				origin_address: fromHex("413462413af4609098e1e27a490f554f260213d685"),
				name: "BlockHashHistory",
				consume_user_resource_percent: 100n,
			}),
		);
		expect(state.account.get(ADDRESS)).toEqual(
			Account.create({ address: ADDRESS, type: AccountType.Contract }),
		);
		expect(state.abi.has(ADDRESS)).toBe(false);
	});

	it("gets its hash by the first EXTCODEHASH, and an ABI with it, as a record has that the machine writes", async () => {
		const state = await emptyState();
		approve(state);
		putTestContract(state, CONTRACT, toHex(assemble(`0x${toHex(ADDRESS.subarray(1))} EXTCODEHASH STOP`)));
		runContract(state).machine.commit();
		const code = state.code.get(ADDRESS) as Uint8Array;
		expect(toHex(state.contract.get(ADDRESS)?.code_hash ?? EMPTY)).toBe(toHex(keccak256(code)));
		expect(state.abi.get(ADDRESS)).toEqual(new SmartContractABI());
	});

	it("makes a contract of an account that is there, which loses what it borrowed", async () => {
		const state = await emptyState();
		state.account.put(
			ADDRESS,
			Account.create({
				address: ADDRESS,
				balance: 7n,
				acquired_delegated_frozen_balance_for_bandwidth: 1n,
				acquired_delegated_frozenV2_balance_for_bandwidth: 2n,
				account_resource: AccountAccountResource.create({
					energy_usage: 9n,
					acquired_delegated_frozen_balance_for_energy: 3n,
					acquired_delegated_frozenV2_balance_for_energy: 4n,
				}),
			}),
		);
		approve(state);
		expect(state.account.get(ADDRESS)).toEqual(
			Account.create({
				address: ADDRESS,
				balance: 7n,
				type: AccountType.Contract,
				account_resource: AccountAccountResource.create({ energy_usage: 9n }),
			}),
		);
	});

	it.each<[string, (state: StateView) => void]>([
		["code", (state) => state.code.put(ADDRESS, fromHex("00"))],
		["a record", (state) => state.contract.put(ADDRESS, new SmartContract())],
	])("writes nothing but itself where %s is at the address", async (_, occupy) => {
		const state = await emptyState();
		occupy(state);
		approve(state);
		expect(state.properties.get("ALLOW_TVM_PRAGUE")).toBe(1n);
		expect(state.properties.on("BLOCK_HASH_HISTORY_INSTALLED")).toBe(false);
		expect(state.account.has(ADDRESS)).toBe(false);
		recordParentId(state, 8n, ID);
		expect(state.storageRow.has(rowKey(7))).toBe(false);
	});
});

describe("a block's parent", () => {
	it.each([
		[1n, 0],
		[2n, 1],
		[8191n, 8190],
		[8192n, 0],
		[8193n, 1],
		[70_000_000n, 0x1ee0],
	])("is written by block %i into slot %i", async (number, slot) => {
		const state = await emptyState();
		recordParentId(state, number, ID);
		expect(state.storageRow.has(rowKey(slot))).toBe(false);
		approve(state);
		recordParentId(state, number, ID);
		expect(state.storageRow.get(rowKey(slot))).toEqual(ID);
	});

	it("isn't written by the genesis block", async () => {
		const state = await emptyState();
		approve(state);
		recordParentId(state, 0n, ID);
		expect(state.storageRow.has(rowKey(WINDOW - 1))).toBe(false);
	});

	it("is written under the new key since #99, and read there", async () => {
		const state = await emptyState();
		approve(state);
		recordParentId(state, 8n, ID);
		state.properties.set("ALLOW_OPTIMIZE_TVM_STORAGE", 1n);
		recordParentId(state, 8n + BigInt(WINDOW), fromHex("cd".repeat(32)));
		expect(state.storageRow.has(rowKey(7))).toBe(false);
		expect(ask(state, 7n + BigInt(WINDOW), 9000n, true)).toBe("cd".repeat(32));
	});
});

/** Asks for the id of a block, in a block of this number. */
function ask(state: StateView, wanted: bigint, number: bigint, separateRows = false): string {
	return read(state, wanted.toString(16).padStart(64, "0"), number, separateRows);
}

function read(state: StateView, input: string, number: bigint, separateRows = false): string {
	const { output, reverted, failure } = runContract(state, {
		address: ADDRESS,
		gates: { separateRows },
		input,
		machine: { block: { number, timestampMs: 0n, witness: ADDRESS } },
	});
	if (failure) throw failure;
	return reverted ? "reverted" : toHex(output);
}

describe("the contract", () => {
	it("answers for the last 8191 blocks, with zero where nothing was written", async () => {
		const state = await emptyState();
		approve(state);
		recordParentId(state, 10_000n, ID);
		expect(ask(state, 9_999n, 10_000n)).toBe("ab".repeat(32));
		expect(ask(state, 9_998n, 10_000n)).toBe("00".repeat(32));
		expect(ask(state, 10_000n - 8191n, 10_000n)).toBe("00".repeat(32));
	});

	it.each<[string, string]>([
		["the block itself", 10_000n.toString(16).padStart(64, "0")],
		["a later block", "ff".repeat(32)],
		["the block before the last 8191", (10_000n - 8192n).toString(16).padStart(64, "0")],
		["31 bytes", "00".repeat(31)],
		["33 bytes", "00".repeat(33)],
		["nothing", ""],
	])("reverts for %s", async (_, input) => {
		const state = await emptyState();
		approve(state);
		expect(read(state, input, 10_000n)).toBe("reverted");
	});
});
