import { describe, expect, it, vi } from "vitest";
import type { ChainRules } from "../../../src/node/rules/chain-rules.js";
import type { ForkGates, LaterRelease } from "../../../src/node/rules/fork-gates.js";
import { completeInternal, keepInternalCallData } from "../../../src/node/rules/internal-call-data.js";
import { unverifiedProofs } from "../../../src/node/shielded/proofs.js";
import type { StateView } from "../../../src/node/state/view.js";
import { ContractMachine, type VmSettings } from "../../../src/node/vm/contract-machine.js";
import { storageRowKey } from "../../../src/node/vm/storage-keys.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	ContractState,
	CreateSmartContract,
	ResourceReceipt,
	TransactionResultContractResult as Result,
	SmartContract,
	TransactionInfo,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { assemble } from "./assembler.js";
import { CALLER, CONTRACT, emptyState, putTestAccount, putTestContract, ROOT_ID } from "./machine-fixture.js";

const rules: ChainRules = {
	genesisTimestampMs: 0n,
	genesisId: new Uint8Array(32),
	blackHole: CALLER,
	genesisWitnesses: [],
	proposalExpireMs: 259_200_000n,
	energyLimitHeight: 0n,
	checkFrozenTime: true,
	saveCancelDetails: false,
	release: "4.8.2",
	keepsNoteTree: true,
};

const settings: VmSettings = {
	programCacheSize: 16,
	saveInternal: true,
	saveFeaturedInternal: true,
	saveCancelDetails: false,
	limitTime: false,
	minTimeRatio: 0,
	maxTimeRatio: 5,
	dialect: "neutral",
	proofs: unverifiedProofs,
};

const block = {
	number: 2n,
	timestampMs: 3_000n,
	witness: CALLER,
	parentId: new Uint8Array(32),
	signed: false,
	own: false,
};

type Flag = Parameters<StateView["properties"]["set"]>[0];

/**
 * A state in which contracts run, and the machine over it, by these releases and parameters.
 * @param recorded result of each transaction in a signed block; undefined: they are packed
 */
async function chainWith(
	releases: readonly LaterRelease[],
	flags: readonly Flag[],
	recorded?: number,
	more: Partial<VmSettings> = {},
) {
	const state = await emptyState();
	for (const flag of [
		"ALLOW_CREATION_OF_CONTRACTS",
		"ALLOW_TVM_CONSTANTINOPLE",
		"ALLOW_MULTI_SIGN",
		"ALLOW_TVM_SHANGHAI",
		...flags,
	] as const) {
		state.properties.set(flag, 1n);
	}
	putTestAccount(state, CALLER, 10_000_000_000n);
	const forks = {
		passed: () => true,
		upgradedTo: (release: LaterRelease) => releases.includes(release),
	} as unknown as ForkGates;
	const signed = recorded !== undefined;
	const machine = new ContractMachine({ ...settings, limitTime: signed, ...more });
	const execute = (type: "CreateSmartContract" | "TriggerSmartContract", parameter: unknown) => {
		const transaction = {
			id: ROOT_ID,
			idHex: toHex(ROOT_ID),
			owner: CALLER,
			type: { name: type },
			parameter,
			raw: { fee_limit: 100_000_000n },
			message: { ret: signed ? [{ contractRet: recorded }] : [] },
		} as unknown as SignedTransaction;
		const receipt = new ResourceReceipt();
		return { ...machine.run({ state, rules, forks }, transaction, receipt, { ...block, signed }), receipt };
	};
	const call = (text: string) => {
		putTestContract(state, CONTRACT, toHex(assemble(text)), { origin_address: CALLER });
		const parameter = TriggerSmartContract.create({ owner_address: CALLER, contract_address: CONTRACT });
		return execute("TriggerSmartContract", parameter);
	};
	const deploy = (new_contract: Partial<SmartContract>) =>
		execute(
			"CreateSmartContract",
			CreateSmartContract.create({
				owner_address: CALLER,
				new_contract: SmartContract.create({
					origin_address: CALLER,
					origin_energy_limit: 1n,
					bytecode: assemble("0x01 PUSH0 RETURN"),
					...new_contract,
				}),
			}),
		);
	return { state, call, deploy };
}

const SHARED = `0x05 SLOAD 0x${((1n << 200n) + 5n).toString(16)} SLOAD STOP`;
const LOGGED = "PUSH0 PUSH0 LOG0";

describe("an execution that is ended from outside the code", () => {
	it.each<[string, readonly Flag[], number]>([
		["keeps its logs before #96", [], 1],
		["has none since #96", ["ALLOW_TVM_OSAKA"], 0],
	])("%s", async (_, flags, logs) => {
		const { call } = await chainWith(["4.8.2.3"], flags);
		const outcome = call(`${LOGGED} ${SHARED}`);
		expect(outcome.code).toBe(Result.OUT_OF_TIME);
		expect(outcome.runtimeError).toBe("CPU timeout for storage check");
		expect(outcome.logs).toHaveLength(logs);
		expect(outcome.receipt.energy_usage_total).toBe(1_000_000n);
	});

	it.each<[string, string, number]>([
		["a full stack", `${LOGGED} again: PUSH0 @again JUMP`, Result.STACK_TOO_LARGE],
		["an unknown operation", `${LOGGED} JUMP`, Result.STACK_TOO_SMALL],
		["a revert", `${LOGGED} PUSH0 PUSH0 REVERT`, Result.REVERT],
	])("is none by %s: that leaves no logs under any rules", async (_, text, code) => {
		for (const flags of [[], ["ALLOW_TVM_OSAKA"]] as const) {
			expect((await chainWith([], flags)).call(text)).toMatchObject({ code, logs: [] });
		}
	});

	it("lists what the outermost frame opened, and what came of its ended frames, not what unfinished ones opened", async () => {
		const { call } = await chainWith(["4.8.2.3"], []);
		// With one byte of input it calls itself with two, with two it ends the transaction; with three it does nothing.
		const again = (size: string): string => `PUSH0 PUSH0 ${size} PUSH0 PUSH0 ADDRESS GAS CALL POP`;
		const outcome =
			call(`CALLDATASIZE 0x03 EQ @three JUMPI CALLDATASIZE 0x02 EQ @two JUMPI CALLDATASIZE @one JUMPI
			${again("0x03")} ${LOGGED} ${again("0x01")} STOP
			one: ${LOGGED} ${again("0x03")} ${again("0x02")} STOP two: ${SHARED} three: STOP`);
		expect(outcome.code).toBe(Result.OUT_OF_TIME);
		expect(outcome.internalTransactions.map(({ rejected }) => rejected)).toEqual([true, true]);
		expect(outcome.logs).toHaveLength(1);
	});

	it("deletes no contract, whatever destroyed itself before", async () => {
		for (const flags of [[], ["ALLOW_TVM_OSAKA"]] as const) {
			const { call, state } = await chainWith(["4.8.2.3"], flags);
			const outcome = call(`CALLDATASIZE @end JUMPI PUSH0 PUSH0 0x01 PUSH0 PUSH0 ADDRESS GAS CALL POP
				${SHARED} end: CALLER SUICIDE`);
			expect(outcome.code).toBe(Result.OUT_OF_TIME);
			expect(state.contract.has(CONTRACT)).toBe(true);
		}
	});
});

it("ends a transaction whose frames copy too much storage to order two slots of one row, unless it is in a signed block", async () => {
	const [first, second] = [(1n << 136n) + 1n, (31n << 128n) + 1n].map((slot) => `0x${slot.toString(16)}`);
	const FRAMES = 460;
	// Each frame reads one more slot, which is there.
	const text = `CALLDATASIZE @inner JUMPI 0x05 ${first} SSTORE 0x06 ${second} SSTORE
		0x${(FRAMES + 1).toString(16)} again: DUP1 PUSH0 MSTORE PUSH0 PUSH0 0x20 PUSH0 PUSH0 ADDRESS GAS CALL POP
		0x01 SWAP1 SUB 0x01 DUP2 GT @again JUMPI STOP inner: PUSH0 CALLDATALOAD SLOAD STOP`;
	const outcomes = [];
	for (const recorded of [undefined, Result.SUCCESS]) {
		const { call, state } = await chainWith([], [], recorded, { limitTime: true });
		state.properties.set("MAX_CPU_TIME_OF_ONE_TX", 1_000_000n);
		const contract = { address: CONTRACT, creationId: new Uint8Array(0), version: 0 };
		for (let slot = 2; slot <= FRAMES + 1; slot++) {
			state.storageRow.put(storageRowKey(contract, slot), new Uint8Array(32).fill(1));
		}
		const attempts = vi.spyOn(ContractMachine.prototype as unknown as { attempt(): unknown }, "attempt");
		const { runtimeError } = call(text);
		outcomes.push([
			runtimeError,
			state.storageRow.has(storageRowKey(contract, 1)),
			attempts.mock.calls.length,
		]);
		attempts.mockRestore();
	}
	expect(outcomes).toEqual([
		["CPU timeout for storage copies", false, 1],
		[undefined, true, 1],
	]);
});

it("charges the penalty of dynamic energy for the one operation of a transaction that is recorded as out of time", async () => {
	const { call, state } = await chainWith([], ["ALLOW_DYNAMIC_ENERGY"], Result.OUT_OF_TIME);
	state.properties.set("CURRENT_CYCLE_NUMBER", 5n);
	state.contractState.put(CONTRACT, ContractState.create({ energy_factor: 12_000n, update_cycle: 5n }));
	expect(call("0x01 STOP")).toMatchObject({
		runtimeError: "CPU timeout for 'PUSH1' operation executing",
		receipt: { energy_usage_total: 1_000_000n, energy_penalty_total: 3n },
	});
});

it.each([
	["a balance below zero, as the black hole has,", "0x05 BALANCE"],
	["a price below zero", "BASEFEE"],
])("shows %s as 64 bits", async (_, operation) => {
	const { call, state } = await chainWith([], ["ALLOW_TVM_LONDON"]);
	putTestAccount(state, fromHex(`41${"05".padStart(40, "0")}`), -5n);
	state.properties.set("ENERGY_FEE", -5n);
	const { returnData } = call(`${operation} PUSH0 MSTORE 0x20 PUSH0 RETURN`);
	expect(toHex(returnData)).toBe("fffffffffffffffb".padStart(64, "0"));
});

describe("the end of a contract", () => {
	it("deletes it before #94, and leaves all of it since", async () => {
		for (const [flags, stays] of [
			[[], false],
			[["ALLOW_TVM_SELFDESTRUCT_RESTRICTION"], true],
		] as const) {
			const { call, state } = await chainWith([], flags);
			expect(call("CALLER SUICIDE").code).toBe(Result.SUCCESS);
			for (const store of [state.account, state.contract, state.code])
				expect(store.has(CONTRACT)).toBe(stays);
		}
	});
});

describe("a deploy with a hash of its own", () => {
	const record = { code_hash: new Uint8Array(32).fill(1) };

	it("makes a contract before block version 37", async () => {
		const { deploy, state } = await chainWith(["4.8.2"], []);
		const outcome = deploy(record);
		expect(outcome.code).toBe(Result.SUCCESS);
		expect(state.contract.has(outcome.contractAddress)).toBe(true);
	});

	it("makes none from then on, and takes the whole limit", async () => {
		const { deploy, state } = await chainWith(["4.8.2.2"], []);
		const outcome = deploy(record);
		expect(outcome).toMatchObject({
			code: Result.OUT_OF_TIME,
			runtimeError: "CPU timeout for contract hash fields",
			receipt: { energy_usage_total: 1_000_000n },
		});
		expect(state.contract.has(outcome.contractAddress)).toBe(false);
		expect(state.account.has(outcome.contractAddress)).toBe(false);
	});
});

it("is ruled by the state that it is asked about: flags of another one don't count", async () => {
	const [old, later] = [await chainWith([], []), await chainWith([], ["ALLOW_TVM_OSAKA"])];
	for (const [chain, code] of [
		[later, Result.SUCCESS],
		[old, Result.ILLEGAL_OPERATION],
		[later, Result.SUCCESS],
	] as const) {
		expect(chain.call("0x01 CLZ STOP").code).toBe(code);
	}
});

it("leaves all internal transactions to events, whatever receipts keep of them", async () => {
	const text = "PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 0x1234 GAS CALL STOP";
	const listed = async (saveInternal: boolean, recorded?: number): Promise<readonly [number, number]> => {
		const { call } = await chainWith([], [], recorded, { saveInternal });
		const stored = call(text).internalTransactions;
		const info = TransactionInfo.create({ internal_transactions: stored });
		return [stored.length, completeInternal(info).length];
	};
	expect(await listed(false, Result.SUCCESS)).toEqual([0, 0]);
	keepInternalCallData();
	expect(await listed(false, Result.SUCCESS)).toEqual([0, 1]);
	expect(await listed(true, Result.SUCCESS)).toEqual([1, 1]);
	// What is only packed is told of once it is applied.
	expect(await listed(false)).toEqual([0, 0]);
});
