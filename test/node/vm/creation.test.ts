import { describe, expect, it } from "vitest";
import { execute } from "../../../src/node/vm/execution.js";
import { Frame } from "../../../src/node/vm/frame.js";
import type { Gates } from "../../../src/node/vm/gates.js";
import { prepareOnce } from "../../../src/node/vm/program.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { TransactionResultContractResult as Result } from "../../../src/protocol/messages.js";
import { assemble } from "./assembler.js";
import { CALLER, CONTRACT, emptyState, putTestContract, ROOT_ID, runContract } from "./machine-fixture.js";

/** Runs CREATE2 without code in a frame of this depth, and returns what it pushed. */
async function create2At(depth: number, gates: Partial<Gates>): Promise<string> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, "00");
	const { machine } = runContract(state, { gates: { compatible: false, ...gates } });
	const frame = new Frame(machine, {
		program: prepareOnce(assemble("PUSH0 PUSH0 PUSH0 PUSH0 CREATE2 PUSH0 MSTORE 0x20 PUSH0 RETURN")),
		address: CONTRACT,
		caller: CALLER,
		callValue: 0,
		tokenValue: 0,
		tokenId: 0,
		input: new Uint8Array(0),
		isStatic: false,
		version: 0,
		depth,
		energy: 100_000,
		openedBy: { id: ROOT_ID },
	});
	execute(frame);
	if (frame.failure) throw frame.failure;
	return toHex(frame.output);
}

const NOTHING = "00".repeat(32);

describe("CREATE2 at depth 64", () => {
	const guard = { endsEndlessWork: true };

	it("goes on before block version 35", async () => {
		expect(await create2At(64, {})).not.toBe(NOTHING);
	});

	it("ends the transaction from then on", async () => {
		await expect(create2At(64, guard)).rejects.toMatchObject({
			result: Result.OUT_OF_TIME,
			message: "CPU timeout for create2 executing",
			name: "VmAbort",
		});
	});

	it.each<[string, Partial<Gates>]>([
		["#60", { compatible: true }],
		["#96", { osaka: true }],
	])("pushes 0 with %s, whatever the version", async (_, gates) => {
		expect(await create2At(64, gates)).toBe(NOTHING);
		expect(await create2At(64, { ...gates, ...guard })).toBe(NOTHING);
	});

	it("is one too deep: at 63 it creates", async () => {
		for (const gates of [{}, guard, { osaka: true }, { compatible: true }]) {
			expect(await create2At(63, gates)).not.toBe(NOTHING);
		}
	});
});

describe("CREATE2 and what the last call returned", () => {
	const text = `PUSH0 PUSH0 PUSH0 PUSH0 0x02 GAS STATICCALL
		PUSH0 PUSH0 PUSH0 PUSH0 CREATE2 RETURNDATASIZE PUSH0 MSTORE 0x20 PUSH0 RETURN`;

	it.each([
		[false, 32],
		[true, 0],
	])("with #96: %s, leaves %i bytes", async (osaka, size) => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, toHex(assemble(text)));
		const { output } = runContract(state, { gates: { osaka } });
		expect(output[31]).toBe(size);
	});

	it("with #96, forgets it even where nothing is created", async () => {
		const state = await emptyState();
		// A value that the contract doesn't have.
		putTestContract(state, CONTRACT, toHex(assemble(text.replace("PUSH0 CREATE2", "0x01 CREATE2"))));
		expect(runContract(state, { gates: { osaka: true } }).output[31]).toBe(0);
		expect(runContract(state, { gates: {} }).output[31]).toBe(32);
	});
});
