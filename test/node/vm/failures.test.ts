import { describe, expect, it } from "vitest";
import { TransactionResultContractResult as Result } from "../../../src/protocol/messages.js";
import { type RunOptions, runCode } from "./machine-fixture.js";

describe("failures of a frame", () => {
	it.each<[string, string, number, string, RunOptions?]>([
		["an unknown operation", "fe", Result.ILLEGAL_OPERATION, "Invalid operation code: opCode[fe];"],
		[
			"an operation whose rule is off",
			"5f",
			Result.ILLEGAL_OPERATION,
			"Invalid operation code: opCode[5f];",
			{ gates: { shanghai: false } },
		],
		["an empty stack", "6001 01", Result.STACK_TOO_SMALL, "Expected stack size 2 but actual 1;"],
		[
			"a full stack",
			`${"6001".repeat(1024)}80`,
			Result.STACK_TOO_LARGE,
			"Expected: overflow 1024 elements stack limit",
		],
		[
			"a jump into data",
			"605b600156",
			Result.BAD_JUMP_DESTINATION,
			"Operation with pc isn't 'JUMPDEST': PC[1];",
		],
		[
			"a jump beyond 31 bits",
			"63ffffffff56",
			Result.BAD_JUMP_DESTINATION,
			"Operation with pc isn't 'JUMPDEST': PC[-1];",
		],
		[
			"a jump beyond 32 bits",
			"64010000000056",
			Result.BAD_JUMP_DESTINATION,
			"Operation with pc isn't 'JUMPDEST': PC[-1];",
		],
		[
			"too little energy",
			"60016002",
			Result.OUT_OF_ENERGY,
			"Not enough energy for 'PUSH1' operation executing: curInvokeEnergyLimit[4], curOpEnergy[3], usedEnergy[3]",
			{ energy: 4 },
		],
		[
			"too little energy for a call",
			"6000600060006000600060aaf4",
			Result.OUT_OF_ENERGY,
			"Not enough energy for 'DELEGATECALL' operation executing: opEnergy[40], programEnergy[12]",
			{ energy: 30 },
		],
		[
			"too little energy for a log's data, before memory is looked at",
			"63ffffffff6000a0",
			Result.OUT_OF_ENERGY,
			"Not enough energy for 'LOG0' operation executing: opEnergy[34359738360], programEnergy[94]",
			{ energy: 100 },
		],
		[
			"a log's data beyond 64 bits",
			`7f${"ff".repeat(32)}6000a0`,
			Result.UNKNOWN,
			"BigInteger out of long range",
		],
		[
			"memory beyond 3 MiB",
			"62300000 51",
			Result.OUT_OF_MEMORY,
			"Out of Memory when 'MLOAD' operation executing",
		],
		[
			"memory beyond 3 MiB, though a precompile's output made it",
			"6000 63 00400000 6040 6000 6004 61ffff fa 62310000 51",
			Result.OUT_OF_MEMORY,
			"Out of Memory when 'MLOAD' operation executing",
		],
		[
			"output of a precompile around 2^31, in an empty memory",
			"6000 637fffffff 6000 6000 6002 61ffff fa",
			Result.UNKNOWN,
			"Index: 2097151, Size: 0",
		],
		[
			"votes at 2^31 in an empty memory, whose size #81 doesn't count yet",
			"637fffffff 6000 637fffffff 6000 d8",
			Result.UNKNOWN,
			"Index: 2097151, Size: 0",
			{ gates: { energyAdjustment: false } },
		],
		[
			"a token id beyond 64 bits before #26",
			`6000600060006000 7f${"7f".repeat(32)} 6000 60aa 6000 d0`,
			Result.UNKNOWN,
			"BigInteger out of long range",
			{ gates: { constantinople: false } },
		],
		[
			"return data beyond its end",
			"600160006000 3e",
			Result.UNKNOWN,
			`Illegal RETURNDATACOPY arguments: offset (${"0".repeat(64)}) + size (${"0".repeat(63)}1) > RETURNDATASIZE (0)`,
		],
		[
			"a reserved token id",
			"60006001d1",
			Result.UNKNOWN,
			"validateForSmartContract failure:not valid token id",
		],
		[
			"an endowment beyond 64 bits",
			`6000600060006000678${"0".repeat(15)}60aa6000f1`,
			Result.TRANSFER_FAILED,
			"endowment out of long range",
		],
		[
			"a value beyond 64 bits for a precompile",
			`6000600060006000678${"0".repeat(15)}60026000f1`,
			Result.UNKNOWN,
			"BigInteger out of long range",
		],
		[
			"a value for a creation beyond 64 bits",
			`60006000678${"0".repeat(15)}f0`,
			Result.UNKNOWN,
			"BigInteger out of long range",
		],
	])("%s", async (_, code, result, message, options) => {
		const frame = await runCode(code.replaceAll(" ", ""), options);
		expect(frame.failure?.result).toBe(result);
		if (message) expect(frame.failure?.message).toBe(message);
	});

	it("a submitted code hash that is not a word", async () => {
		const { CONTRACT, emptyState, putTestContract, runContract } = await import("./machine-fixture.js");
		const state = await emptyState();
		putTestContract(state, CONTRACT, "303f", { code_hash: new Uint8Array(33) });
		expect(runContract(state).failure?.result).toBe(Result.UNKNOWN);
	});

	it("spend all energy, except a failed transfer", async () => {
		expect((await runCode("fe", { energy: 1000 })).used).toBe(1000);
		const transfer = await runCode(`6000600060006000678${"0".repeat(15)}60aa6000f1`, { energy: 100_000 });
		expect(transfer.failure?.keepsEnergy).toBe(true);
		expect(Number(transfer.used)).toBeLessThan(100_000);
	});

	it("count the penalty apart under dynamic energy", async () => {
		const { ContractState } = await import("../../../src/protocol/messages.js");
		const { CONTRACT, emptyState, putTestContract, runContract } = await import("./machine-fixture.js");
		const state = await emptyState();
		state.properties.set("CURRENT_CYCLE_NUMBER", 5n);
		putTestContract(state, CONTRACT, "600054");
		state.contractState.put(CONTRACT, ContractState.create({ energy_factor: 12_000n, update_cycle: 5n }));
		const frame = runContract(state, { gates: { dynamicEnergy: true }, energy: 100 });
		expect(frame.failure?.message).toBe(
			"Not enough energy for 'SLOAD' operation executing: curInvokeEnergyLimit[100], curOpEnergy[50], penaltyEnergy[60], usedEnergy[6]",
		);
	});

	it("end an endless loop when the time is over", async () => {
		const run = runCode("5b600056", {
			energy: Number.MAX_SAFE_INTEGER,
			machine: { deadlineMs: performance.now() + 20 },
		});
		await expect(run).rejects.toThrow(/^CPU timeout for '(JUMPDEST|PUSH1|JUMP)' operation executing$/);
	});

	it("end a transaction that is recorded so at its first operation, once that is charged", async () => {
		const recorded = { machine: { endsAtFirstOperation: true } };
		await expect(runCode("600160025500", recorded)).rejects.toThrow(
			"CPU timeout for 'PUSH1' operation executing",
		);
		expect((await runCode("fe", recorded)).failure?.result).toBe(Result.ILLEGAL_OPERATION);
		expect((await runCode("6001", { ...recorded, energy: 2 })).failure?.result).toBe(Result.OUT_OF_ENERGY);
	});
});
