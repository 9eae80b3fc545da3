import { describe, expect, it } from "vitest";
import { execute } from "../../../src/node/vm/execution.js";
import { Frame } from "../../../src/node/vm/frame.js";
import { wordFromBytes } from "../../../src/node/vm/word.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { TransactionResultContractResult as Result } from "../../../src/protocol/messages.js";
import {
	CONTRACT,
	emptyState,
	putTestAccount,
	putTestContract,
	type RunOptions,
	runCode,
	runContract,
} from "./machine-fixture.js";

const used = async (code: string, options: RunOptions = {}) => {
	const frame = await runCode(code, options);
	return { energy: frame.used, failure: frame.failure?.result };
};

/** Numbers of protocol/machine §19, with the pushes around them. */
describe("energy of operations", () => {
	it.each([
		["the first word of memory costs 3, 1 more since #65", "600051", 3 + 4, {}],
		["the first word of memory costs 3 before #65", "600051", 3 + 3, { gates: { higherCpuLimit: false } }],
		["1024 bytes of memory cost 98", "6103e051", 3 + 98 + 1, {}],
		["a store in empty memory costs its expansion", "60016000526000", 6 + 4 + 3, {}],
		["SHA3 of 64 bytes costs 42 besides memory", "6040600020", 6 + 42 + 6, {}],
		["LOG2 with 10 bytes costs 1205 besides memory", "60016002600a6000a2", 12 + 1205 + 3, {}],
		["EXP costs 10 for each byte of the exponent", "61010060020a", 6 + 30, {}],
		["EXP with exponent 0 costs 10", "600060020a", 6 + 10, {}],
		["an absent slot costs 20000 to fill", "6001600055", 6 + 20_000, {}],
		["a slot that was cleared before costs 5000 to fill", "60006000556001600055", 12 + 10_000, {}],
		[
			"a slot filled, cleared and filled costs 20000, 5000, 5000",
			"600160005560006000556001600055",
			18 + 30_000,
			{},
		],
	])("%s", async (_, code, energy, options) => {
		expect(await used(code, options as RunOptions)).toEqual({ energy, failure: undefined });
	});

	it("charges stored slots 5000 for a change and 50 for a look", async () => {
		const state = await emptyState();
		// 5×3 + 2×5000 + 50, row 5 of that table.
		putTestContract(state, CONTRACT, "602260aa55603360cc5560cc54");
		const first = runContract(state);
		first.machine.commit();
		expect(runContract(state).used).toBe(10_065);
	});

	it("allows memory up to 3 MiB and not a byte more", async () => {
		const end = 3_145_728;
		const load = (offset: number) => `62${offset.toString(16).padStart(6, "0")}51`;
		expect(await used(load(end - 32), { energy: 20_000_000 })).toEqual({
			energy: 3 + 19_169_280 + 1,
			failure: undefined,
		});
		expect(await used(load(end - 31), { energy: 20_000_000 })).toEqual({
			energy: 20_000_000,
			failure: Result.OUT_OF_MEMORY,
		});
	});

	it("multiplies the cost of operations, and truncates each on its own", async () => {
		const state = await emptyState();
		state.properties.set("CURRENT_CYCLE_NUMBER", 5n);
		putTestContract(state, CONTRACT, "60005450");
		const { ContractState } = await import("../../../src/protocol/messages.js");
		state.contractState.put(CONTRACT, ContractState.create({ energy_factor: 12_000n, update_cycle: 5n }));
		const frame = runContract(state, { gates: { dynamicEnergy: true } });
		// PUSH1 3 → 6, SLOAD 50 → 110, POP 2 → 4.
		expect(frame.used).toBe(120);
		expect(frame.penalty).toBe(65);
		expect(frame.machine.state.contractState.get(CONTRACT)?.energy_usage).toBe(55n);
	});
});

const OTHER = fromHex(`41${"44".repeat(20)}`);
/** CALL with no energy asked for and a value, to the account of repeated bytes. */
const callWithValue = (to: string, value: number) =>
	`600060006000600060${value.toString(16).padStart(2, "0")}73${to.repeat(20)}6000f1`;
const PUSHES = 7 * 3;

describe("energy of calls", () => {
	it("gives the stipend back where the target has no code", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, callWithValue("44", 1));
		putTestAccount(state, OTHER);
		state.account.put(CONTRACT, { ...state.account.existing(CONTRACT), balance: 5n });
		const frame = runContract(state);
		expect(frame.used).toBe(PUSHES + 6_740);
		expect(frame.stack[0]).toBe(1);
		expect(frame.machine.state.account.get(OTHER)?.balance).toBe(1n);
	});

	it("charges 25000 for a missing target and creates it", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, callWithValue("44", 1));
		state.account.put(CONTRACT, { ...state.account.existing(CONTRACT), balance: 5n });
		const frame = runContract(state);
		expect(frame.used).toBe(PUSHES + 31_740);
		expect(frame.machine.state.account.get(OTHER)?.balance).toBe(1n);
	});

	it("keeps the rest of the energy where a contract sends coins to itself", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, callWithValue("33", 1));
		state.account.put(CONTRACT, { ...state.account.existing(CONTRACT), balance: 5n });
		const frame = runContract(state);
		expect(frame.failure?.result).toBe(Result.TRANSFER_FAILED);
		expect(frame.failure?.message).toBe("transfer coin failed: Cannot transfer COIN to yourself.");
		expect(frame.used).toBe(PUSHES + 6_740);
	});

	it("pushes 0 where the balance is too small", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, callWithValue("44", 1));
		putTestAccount(state, OTHER);
		const frame = runContract(state);
		expect(frame.used).toBe(PUSHES + 6_740);
		expect(frame.stack[0]).toBe(0);
	});

	it.each([
		[84, 1, 40 + 84],
		[83, 0, 40 + 83],
	])("calls sha256 of 64 bytes with %s energy: result %s", async (energy, result, cost) => {
		// Two words in memory first, so that the call itself pays for none.
		const code = `600060205260006000604060006002${`60${energy.toString(16)}`}fa`;
		const before = await used("6000602052");
		const frame = await runCode(code);
		expect(frame.stack[0]).toBe(result);
		expect(Number(frame.used) - Number(before.energy)).toBe(6 * 3 + cost);
	});

	it("writes all of a precompile's output, whatever the caller asked for, and grows memory for nothing", async () => {
		// 64 bytes through identity to 0x400 with output size 0, then MSIZE.
		const code = "60aa60205260006104006040600060046103e8fa59";
		const frame = await runCode(code);
		expect(frame.stack.slice(0, 2)).toEqual([1, 0x440]);
		expect(frame.memory.loadWord(0x420)).toBe(0xaa);
	});

	it("forwards everything a contract of version 0 has, and all but a 64th for version 1", async () => {
		const child = fromHex(`41${"55".repeat(20)}`);
		const forwarded = async (version: number) => {
			const state = await emptyState();
			// The child returns the energy it sees first.
			putTestContract(state, child, "5a60005260206000f3");
			const call = `602060006000600073${"55".repeat(20)}7f${"ff".repeat(32)}fa`;
			putTestContract(state, CONTRACT, `${call}60005160005260206000f3`, { version });
			const frame = runContract(state, { gates: { compatible: true }, energy: 100_000 });
			return Number(wordFromBytes(frame.output));
		};
		const left = 100_000 - 6 * 3 - 40 - 3;
		expect(await forwarded(0)).toBe(left - 2);
		expect(await forwarded(1)).toBe(left - Math.floor(left / 64) - 2);
	});

	it("counts energy beyond 2^53 exactly", async () => {
		const energy = (1n << 62n) + 3n;
		const frame = await runCode("5a60005260206000f3", { energy });
		expect(wordFromBytes(frame.output)).toBe(energy - 2n);
		expect(frame.used).toBe(2 + 3 + 4 + 6);
	});
});

describe("depth of calls", () => {
	it("runs 65 frames of calls, the last of which can't call", async () => {
		const state = await emptyState();
		// Adds 1 to slot 0, then calls itself with all its energy.
		const code = `60005460010160005560006000600060006000737${"3".repeat(39)}5af1`;
		putTestContract(state, CONTRACT, code.replace(`737${"3".repeat(39)}`, `73${"33".repeat(20)}`));
		const frame = runContract(state, { energy: 100_000_000 });
		expect(frame.failure).toBeUndefined();
		expect(frame.machine.storage.of(CONTRACT).load(0)).toBe(65);
	});

	it.each([
		[63, 1],
		[64, 0],
		[65, 1],
	])("at %s lets calls answer %s: only the one depth is looked at", async (depth, answer) => {
		const { machine, context } = await runCode("6000600060006000600060aa61fffff1");
		const frame = new Frame(machine, { ...context, depth });
		execute(frame);
		expect(frame.stack[0]).toBe(answer);
	});

	it("ends unlimited creation without breaking the process", async () => {
		// The constructor's code deploys itself again with CREATE2, the salt being the energy left.
		const code = "5a386000600039386000 6000f5".replaceAll(" ", "");
		const frame = await runCode(`${code}00`, { energy: 1_000_000_000_000 }).catch((error) => error);
		expect(frame.result ?? frame.failure?.result ?? Result.SUCCESS).toBe(Result.JVM_STACK_OVER_FLOW);
	});
});
