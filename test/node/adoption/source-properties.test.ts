import { describe, expect, it } from "vitest";
import {
	judgeProperties,
	keptProperty,
	readProperties,
	versionPassed,
} from "../../../src/node/adoption/source-properties.js";
import { be64, fromKey, toHex, utf8 } from "../../../src/protocol/bytes.js";

const FLAGS = [
	"TOKEN_UPDATE_DONE",
	"ABI_MOVE_DONE",
	"ENERGY_PRICE_HISTORY_DONE",
	"BANDWIDTH_PRICE_HISTORY_DONE",
	"SET_BLACKHOLE_ACCOUNT_PERMISSION",
];
const set = FLAGS.map((key) => [key, be64(1n)] as const);
const judged = (...more: (readonly [string, Uint8Array])[]) => {
	const all = [...new Map([...set, ...more])].map(([key, value]) => [fromKey(key), value] as const);
	return () => judgeProperties(readProperties(all), "main");
};
const votes = (ones: number): Uint8Array => Buffer.concat([Buffer.alloc(ones, 1), Buffer.alloc(10 - ones)]);

describe("properties of a reference node", () => {
	it("are kept in the length of their row", () => {
		expect(toHex(keptProperty("MEMO_FEE", Uint8Array.of(1, 0)))).toBe("0000000000000100");
		expect(toHex(keptProperty("MEMO_FEE", new Uint8Array(0)))).toBe("0000000000000000");
		expect(toHex(keptProperty("state_flag", Buffer.alloc(8)))).toBe("00000000");
		expect(toHex(keptProperty("MEMO_FEE", Buffer.alloc(8, 0xff)))).toBe("f".repeat(16));
		expect(toHex(keptProperty("ENERGY_PRICE_HISTORY", utf8("0:100")))).toBe(toHex(utf8("0:100")));
		expect(() => keptProperty("MEMO_FEE", Buffer.alloc(9, 1))).toThrow("MEMO_FEE holds a number of 9 bytes");
	});

	it("are refused by name where this program doesn't know them and they say something", () => {
		expect(judged(["ALLOW_A_NEW_RULE", be64(0n)])).not.toThrow();
		expect(judged(["FORK_CONTROLLER4", votes(10)])).not.toThrow();
		expect(judged(["ALLOW_A_NEW_RULE", be64(1n)], ["SOME_FEE", utf8("7")])).toThrow(
			/holds ALLOW_A_NEW_RULE, SOME_FEE, which this program doesn't know/,
		);
	});

	it("are refused where a later block version has passed", () => {
		expect(judged(["FORK_VERSION_99", votes(6)])).not.toThrow();
		expect(judged(["FORK_VERSION_99", votes(7)])).toThrow(
			/by FORK_VERSION_99 that block version 99 has passed/,
		);
		expect(judged(["FORK_VERSION_32", votes(10)])).not.toThrow();
	});

	it("are refused where release 4.8.0 was never started on them", () => {
		expect(judged()).not.toThrow();
		expect(judged(["ABI_MOVE_DONE", be64(0n)])).toThrow(
			/lacks ABI_MOVE_DONE: a reference node of release 4.8.0/,
		);
	});

	it("tell the newest version that has passed", () => {
		const all = [9, 31, 32].map(
			(version) => [fromKey(`FORK_VERSION_${version}`), votes(version === 32 ? 3 : 9)] as const,
		);
		expect(versionPassed(readProperties(all))).toBe(31);
	});
});
