import { expect, it } from "vitest";
import type { BlockScope } from "../../../src/node/rules/execution.js";
import { callDataCopies, keepInternalCallData } from "../../../src/node/rules/internal-call-data.js";

const scope = (signed: boolean): BlockScope => ({
	number: 1n,
	timestampMs: 0n,
	witness: new Uint8Array(21),
	parentId: new Uint8Array(32),
	signed,
	own: false,
});

it("copies what internal calls of a block were given, up to a number of bytes a transaction and a block", () => {
	const block = scope(true);
	keepInternalCallData();
	expect(callDataCopies(undefined)).toBeUndefined();
	expect(callDataCopies(scope(false))).toBeUndefined();

	const memory = new Uint8Array(400 << 10).fill(1);
	const first = callDataCopies(block);
	const copy = first?.copy(memory.subarray(0, 4));
	memory.fill(2);
	expect(copy).toEqual(Uint8Array.of(1, 1, 1, 1));
	expect(first?.copy(new Uint8Array(0))).toBeUndefined();
	const kept = [0, 1, 2].map(() => typeof first?.copy(memory));
	expect(kept).toEqual(["object", "object", "number"]);
	expect(first?.copy(memory)).toBe(memory.length);
	expect(first?.copy(memory.subarray(0, 100))).toHaveLength(100);

	let bytes = 0;
	for (let transaction = 0; transaction < 20; transaction++) {
		const copies = callDataCopies(block);
		for (let call = 0; call < 600; call++) {
			const data = copies?.copy(memory);
			if (typeof data === "object") bytes += data.length;
		}
	}
	expect(bytes).toBeLessThanOrEqual(4 << 20);
	expect(callDataCopies(scope(true))?.copy(memory)).toHaveLength(memory.length);
});
