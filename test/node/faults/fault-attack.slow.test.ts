/** Fault bundles that an attacker wrote: each ends in a verdict or a sentence, within bounds. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
	BundleError,
	MAX_BUNDLE_ITEMS,
	MAX_LINE_BYTES,
	MAX_UNPACKED_BYTES,
} from "../../../src/node/faults/bundle.js";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import { makeFault } from "./planted.js";

const time = { timeoutMs: 60_000 };
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "faults-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a bundle of others", () => {
	/** The lines of a bundle whose block calls a contract. */
	async function lines(): Promise<string[]> {
		return gunzipSync(readFileSync(await makeFault(folder)))
			.toString()
			.split("\n");
	}
	/** @returns whether it was read */
	const isTaken = (bytes: Uint8Array): boolean => {
		try {
			reproduce(readBundle(bytes), time);
			return true;
		} catch (error) {
			if (error instanceof BundleError) return false;
			throw error;
		}
	};
	const packed = (text: string | Uint8Array): Uint8Array => gzipSync(text, { level: 1 });

	test("is executed or refused with a sentence, whatever is changed in it", async () => {
		const whole = (await lines()).join("\n");
		expect(isTaken(packed(whole))).toBe(true);
		const random = seeded(5);
		const at = (length: number): number => Math.floor(random() * length);
		let taken = 0;
		for (let round = 0; round < 500; round++) {
			const bytes = Buffer.from(whole);
			for (let changes = at(3) + 1; changes > 0; changes--) {
				const place = round % 2 === 0 ? at(bytes.length) : at(Math.min(bytes.length, 3_000));
				const digits = '0123456789abcdef",[]{}:-';
				bytes[place] = round % 3 === 0 ? at(256) : digits.charCodeAt(at(digits.length));
			}
			if (isTaken(packed(bytes))) taken++;
		}
		expect(taken).toBeGreaterThan(10);
		for (let round = 0; round < 100; round++) {
			const all = whole.split("\n");
			const [from, to] = [at(all.length), at(all.length)];
			const moved = all.splice(from, 1 + at(3));
			if (round % 2 === 0) all.splice(to, 0, ...moved, ...moved);
			isTaken(packed(all.join("\n")));
			isTaken(packed(whole).subarray(0, at(whole.length / 4)));
			isTaken(Buffer.from(Array.from({ length: at(500) }, () => at(256))));
			isTaken(packed(Buffer.from(Array.from({ length: at(500) }, () => at(256)))));
		}
	});

	test("is refused where it unpacks to more, or has more lines, than one may hold", async () => {
		const [head] = await lines();
		expect(() => readBundle(packed(Buffer.alloc(MAX_UNPACKED_BYTES + 1)))).toThrow("unpacks to more");
		const many = `${head}\n${"[]\n".repeat(MAX_BUNDLE_ITEMS)}`;
		expect(() => readBundle(packed(many))).toThrow(BundleError);
		expect(() => readBundle(packed(`"${"a".repeat(MAX_LINE_BYTES)}"`))).toThrow("too long");
		const keys = JSON.stringify(["keys", "witness", Array.from({ length: 1_000 }, () => "00")]);
		const walked = `${head}\n${`${keys}\n`.repeat(MAX_BUNDLE_ITEMS / 1_000)}`;
		expect(() => readBundle(packed(walked))).toThrow("too many entries");
		expect(() => readBundle(packed("[".repeat(100_000)))).toThrow(BundleError);
		const logs = JSON.stringify(["computed", "4200".repeat(600_000)]);
		expect(() => readBundle(packed(`${head}\n${logs}\n${logs}`))).toThrow(BundleError);
		const receipts = `${JSON.stringify(["recorded", ""])}\n`.repeat(40_001);
		expect(() => readBundle(packed(`${head}\n${receipts}`))).toThrow("too many receipts");
		const wide = JSON.stringify(Array.from({ length: 100_000 }, () => []));
		expect(() => readBundle(packed(`${head}\n${wide}`))).toThrow("a line of too many values");
	});

	test("ends where its code doesn't", async () => {
		const all = await lines();
		const longer = all.map((text) =>
			text.startsWith('["entry","code"') ? text.replace('"60003560005500"', '"5b600056"') : text,
		);
		expect(longer).not.toEqual(all);
		// A sun buys one energy, so that the fee limit buys more than can be used in time.
		const endless = longer.map((text) =>
			text.replace(/("entry","properties","454e455247595f464545",)"\w+"/, '$1"0000000000000001"'),
		);
		expect(() => reproduce(readBundle(packed(endless.join("\n"))), { timeoutMs: 300 })).toThrow(
			"takes longer",
		);
	});
});

/** A repeatable sequence of numbers from 0 to 1. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
