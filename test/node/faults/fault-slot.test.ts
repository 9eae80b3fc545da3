/** A wrong order of witnesses: the block of a witness whose turn it is gets refused for its slot. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import { Store } from "../../../src/node/state/store.js";
import { ADDRESS_LENGTH } from "../../../src/protocol/address.js";
import { forge, keyOfWitness, produce, transfer, users } from "../chain/small-chain.js";
import { config, openWithContracts, watch } from "./planted.js";

/** Runs with a rule that takes the witnesses of a cycle one place further. */
function withWrongOrder<T>(run: () => T): T {
	const right = Store.prototype.get;
	const planted = vi.spyOn(Store.prototype, "get").mockImplementation(function (this: Store<unknown>, key) {
		const value = right.call(this, key);
		const { name } = (this as unknown as { readonly definition: { readonly name: string } }).definition;
		if (name !== "witness_schedule" || !(value instanceof Uint8Array)) return value;
		return Buffer.concat([value.subarray(ADDRESS_LENGTH), value.subarray(0, ADDRESS_LENGTH)]);
	});
	try {
		return run();
	} finally {
		planted.mockRestore();
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
