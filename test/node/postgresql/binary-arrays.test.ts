import { describe, expect, it } from "vitest";
import { arrayType, binaryArray } from "../../../src/node/postgresql/binary-arrays.js";

describe("binary arrays", () => {
	it("have the form that PostgreSQL's array_send gives", () => {
		// SELECT array_send(ARRAY[1, -1]::int[])
		expect(binaryArray("integer", [1, -1]).toString("hex")).toBe(
			"000000010000000000000017000000020000000100000004000000010000000" + "4ffffffff",
		);
		// SELECT array_send(ARRAY['\x0a0b']::bytea[])
		expect(binaryArray("bytea", [Buffer.from([10, 11])]).toString("hex")).toBe(
			"0000000100000000000000110000000100000001000000020a0b",
		);
		// SELECT array_send(ARRAY[]::bigint[])
		expect(binaryArray("bigint", []).toString("hex")).toBe("000000000000000000000014");
		// SELECT array_send(ARRAY['2000-01-01 00:00:01Z']::timestamptz[])
		expect(binaryArray("timestamptz", [946_684_801_000]).toString("hex")).toBe(
			"0000000100000000000004a000000001000000010000000800000000000f4240",
		);
	});

	it("send amounts beyond 64 bits as texts", () => {
		expect(arrayType("numeric")).toBe("text[]");
		expect(arrayType("bytea")).toBe("bytea[]");
		const most = String(2n ** 256n - 1n);
		expect(binaryArray("numeric", [most]).subarray(24).toString("utf8")).toBe(most);
	});
});
