import { beforeAll, describe, expect, it } from "vitest";
import { VmError } from "../../../src/node/vm/vm-error.js";
import { useFastHashing } from "../../../src/protocol/hash.js";
import { heavyPrograms } from "./heavy-programs.js";
import { runCode } from "./machine-fixture.js";

/** Milliseconds of time that a query has, and what its last step may take on top, on a slow machine. */
const LIMIT = 20;
const LAST_STEP = 400;

describe("a program that asks for all it can get", () => {
	beforeAll(useFastHashing);

	it.each([...heavyPrograms])("ends in time: %s", async (_, code) => {
		const used = process.cpuUsage();
		const run = runCode(code, {
			energy: 100_000_000,
			machine: { deadlineMs: performance.now() + LIMIT },
		});
		const failure = await run.then(
			(frame) => frame.failure,
			(error: unknown) => error,
		);
		const { user, system } = process.cpuUsage(used);
		if (failure !== undefined) expect(failure).toBeInstanceOf(VmError);
		expect((user + system) / 1000).toBeLessThan(LIMIT + LAST_STEP);
	});
});
