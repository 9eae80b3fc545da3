import { describe, expect, test } from "vitest";
import { failedFrame, framesOf, stateChanges } from "../../src/explorer/trace.js";

const call = (more: object) => ({ type: "CALL", from: "0x01", to: "0x02", gasUsed: "0x64", ...more });

describe("calls of a transaction", () => {
	test("have their own energy beside that of the calls inside", () => {
		const found = framesOf(
			call({
				value: "0x5",
				penalty: "0xa",
				tokenId: "1000001",
				tokenValue: "7",
				input: "0xAB",
				calls: [
					call({ gasUsed: "0x1e" }),
					call({ gasUsed: "0xa", logs: [{ address: "0x02", topics: ["0xAA"] }] }),
				],
			}),
		);
		expect(found?.isWhole).toBe(true);
		expect(found?.root).toMatchObject({
			energy: 100n,
			own: 60n,
			sun: 5n,
			penalty: 10n,
			tokenId: "1000001",
			tokenValue: 7n,
			input: "ab",
		});
		expect(found?.root.calls[1]?.logs).toEqual([{ address: "0x02", topics: ["aa"], data: "" }]);
		expect(framesOf("x")).toBeUndefined();
	});

	test("are shown up to a number, and what is left out counts for no frame's own part", () => {
		const many = Array.from({ length: 1_000 }, () => call({ gasUsed: "0x1" }));
		const found = framesOf(call({ gasUsed: "0x7d0", calls: many }));
		expect(found?.isWhole).toBe(false);
		expect(found?.root.calls.length).toBeLessThan(600);
		expect(found?.root.own).toBe(1_000n);
	});

	test("failed where the reason comes from", () => {
		const reverted = { error: "execution reverted", output: "0x08c379a0" };
		const reason = (trace: object) => failedFrame(framesOf(trace)?.root as never)?.to;
		expect(reason(call({}))).toBeUndefined();
		expect(reason(call({ ...reverted, calls: [call({ to: "0x03", ...reverted })] }))).toBe("0x03");
		const caught = call({ to: "0x03", error: "execution reverted", output: "0x01" });
		expect(reason(call({ ...reverted, calls: [caught] }))).toBe("0x02");
		expect(reason(call({ error: "out of energy", calls: [caught] }))).toBe("0x02");
		// The one that failed first was caught, the one after it was not.
		expect(reason(call({ ...reverted, calls: [caught, call({ to: "0x04", ...reverted })] }))).toBe("0x04");
	});
});

describe("what a transaction changed", () => {
	test("is told by member, with what was and what is", () => {
		const changes = stateChanges({
			pre: {
				a: {
					balance: "0x64",
					storage: { "0x0": "0x01", "0x1": "0x02" },
					stakes: { energy: 5 },
					code: "0x60",
				},
				gone: { balance: "0x1" },
			},
			post: {
				a: { balance: "0x32", storage: { "0x0": "0x03" } },
				made: { balance: "0x7", tokens: { "1000001": "4" }, votes: [{ votes: 1 }] },
			},
		});
		const told = changes.map(({ address, kind, name, before, after }) => [
			address,
			kind,
			name,
			before,
			after,
		]);
		expect(told).toEqual([
			["a", "balance", "", "0x64", "0x32"],
			["a", "storage", "0x0", "0x01", "0x03"],
			["a", "storage", "0x1", "0x02", undefined],
			["gone", "balance", "", "0x1", undefined],
			["made", "balance", "", undefined, "0x7"],
			["made", "token", "1000001", undefined, "4"],
			["made", "votes", "", undefined, '[{"votes":1}]'],
		]);
		expect(stateChanges(undefined)).toEqual([]);
	});

	test("is bounded", () => {
		const storage = Object.fromEntries(Array.from({ length: 5_000 }, (_, slot) => [String(slot), "0x1"]));
		expect(stateChanges({ pre: {}, post: { a: { storage } } })).toHaveLength(500);
	});
});
