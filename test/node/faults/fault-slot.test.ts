/** A wrong order of witnesses: the block of a witness whose turn it is gets refused for its slot. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import { forge, keyOfWitness, produce, transfer, users } from "../chain/small-chain.js";
import { config, openWithContracts, watch } from "./planted.js";

const order = vi.hoisted(() => ({ isWrong: false }));
vi.mock("../../../src/node/consensus/slots.js", async (load) => {
	const real = await load<typeof import("../../../src/node/consensus/slots.js")>();
	const scheduledWitness: typeof real.scheduledWitness = (state, k, ...more) =>
		real.scheduledWitness(state, order.isWrong ? k + 1n : k, ...more);
	return { ...real, scheduledWitness };
});

function withWrongOrder<T>(run: () => T): T {
	order.isWrong = true;
	try {
		return run();
	} finally {
		order.isWrong = false;
	}
}

test("leaves a file that reproduces it, also while transactions wait", async () => {
	const folder = mkdtempSync(join(tmpdir(), "faults-"));
	const right = await openWithContracts(config);
	const open = await openWithContracts(config);
	const { faults, lines } = watch(open, folder);
	const first = produce(right);
	right.chain.pushTransaction(transfer(right, 0, users[1] as Uint8Array, 5n));
	const block = produce(right);
	open.chain.push(first, "peer");
	open.chain.pushTransaction(transfer(open, 1, users[2] as Uint8Array, 6n));
	// No witness of this chain, and one that signs two blocks ahead: neither is a fault.
	expect(() => open.chain.push(forge(first, block.timestampMs), "peer")).toThrow();
	const ahead = forge(block, block.timestampMs + 3_000n, {
		key: keyOfWitness(first.witness),
		witness: first.witness,
	});
	expect(() => open.chain.push(ahead, "peer")).toThrow();
	expect(faults.found).toEqual({ refused: 0, audit: 0 });

	withWrongOrder(() => expect(() => open.chain.push(block, "peer")).toThrow("validateWitnessSchedule error"));
	expect(open.chain.pool.size).toBe(1);
	await faults.close();
	const computed = "ValidateScheduleException: validateWitnessSchedule error";
	expect(lines).toEqual([
		expect.objectContaining({ block: 2, transaction: undefined, computed, recorded: "a block of the chain" }),
	]);
	const bytes = readFileSync(faults.first?.file as string);
	const time = { timeoutMs: 60_000 };
	expect(withWrongOrder(() => reproduce(readBundle(bytes), time)).verdict).toBe("reproduced");
	expect(reproduce(readBundle(bytes), time)).toMatchObject({
		verdict: "as recorded",
		reason: expect.stringContaining("what was refused passes"),
	});
	rmSync(folder, { recursive: true });
	await Promise.all([right.close(), open.close()]);
});
