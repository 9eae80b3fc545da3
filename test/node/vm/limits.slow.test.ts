import { beforeAll, describe, expect, it } from "vitest";
import { VmError } from "../../../src/node/vm/vm-error.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { useFastHashing } from "../../../src/protocol/hash.js";
import { threadMs } from "../../processor-time.js";
import { assemble } from "./assembler.js";
import { heavyPrograms } from "./heavy-programs.js";
import { runCode } from "./machine-fixture.js";

/** Milliseconds of time that a query has, and what its last step may take on top, on a slow machine. */
const LIMIT = 20;
const LAST_STEP = 400;

describe("a program that asks for all it can get", () => {
	beforeAll(useFastHashing);

	it.each([...heavyPrograms])("ends in time: %s", async (_, code) => {
		const started = threadMs();
		const run = runCode(code, {
			energy: 100_000_000,
			machine: { deadlineMs: performance.now() + LIMIT },
		});
		const failure = await run.then(
			(frame) => frame.failure,
			(error: unknown) => error,
		);
		const ms = threadMs() - started;
		if (failure !== undefined) expect(failure).toBeInstanceOf(VmError);
		expect(ms).toBeLessThan(LIMIT + LAST_STEP);
	});
});

it("a program with more energy than is at hand ends in time after a call has given most of it back", async () => {
	// The memory costs what is over 2^53; the call fails at once for want of coins.
	const call = "PUSH0 0x010000 MSTORE PUSH0 PUSH0 PUSH0 PUSH0 0x01 0x5555 GAS CALL POP";
	const run = runCode(toHex(assemble(`${call} JUMPDEST PC 0x01 SWAP1 SUB JUMP`)), {
		energy: 2n ** 53n + 12_345n,
		machine: { deadlineMs: performance.now() + LIMIT },
	});
	await expect(run).rejects.toThrow(/^CPU timeout for '\w+' operation executing$/);
});
