import { describe, expect, it } from "vitest";
import { writeJson } from "../../../src/wallet/json.js";
import { readReference, referenceRecord } from "../../../src/wallet/transaction/reference.js";

const ID = `${(66_000).toString(16).padStart(16, "0")}${"ab".repeat(24)}`;
const reference = {
	number: 66_000n,
	id: new Uint8Array(Buffer.from(ID, "hex")),
	expirationMs: 1_700_000_000_000n,
	chain: new Uint8Array(32).fill(7),
};

describe("the reference for building without network", () => {
	it("names what goes into a transaction, and reads what it wrote", () => {
		const record = referenceRecord(reference);
		expect(record).toMatchObject({ refBlockBytes: "01d0", refBlockHash: "ab".repeat(8) });
		const { id, chain, ...rest } = readReference(writeJson(record));
		expect({ ...rest, id: new Uint8Array(id), chain: new Uint8Array(chain as Uint8Array) }).toEqual(
			reference,
		);
	});

	it.each([
		["", "not one JSON object"],
		["[]", "not one JSON object"],
		[writeJson({ ...referenceRecord(reference), number: 66_001n }), "not of the same block"],
		[writeJson({ ...referenceRecord(reference), blockID: "ab" }), "blockID doesn't have 64"],
		[writeJson({ ...referenceRecord(reference), expiration: "soon" }), "expiration is not a time"],
		[writeJson({ ...referenceRecord(reference), chain: "x" }), "chain doesn't have 64"],
		["x".repeat(70_000), "larger than 64 KiB"],
	])("refuses %.40s", (text, message) => {
		expect(() => readReference(text)).toThrow(message);
	});
});
