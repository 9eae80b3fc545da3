/** The short form of `npm run tool soak:brokers`: a broker in this process, and few kills. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomFrom } from "../soak/random.js";
import type { Held } from "./broker.js";
import { missingOf, neverTakenBack, tellThroughKills } from "./kills.js";
import { startSmallNats } from "./small-nats.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-kills-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a node that tells a broker", () => {
	it.each([0, 1])("loses nothing by kills of either, with version %i", async (version) => {
		const broker = await startSmallNats();
		try {
			const result = await tellThroughKills({
				broker,
				directory,
				kills: 3,
				version,
				random: randomFrom(version),
			});
			expect(result).toContain("0 repeated");
		} finally {
			await broker.stop();
		}
	});
});

describe("the comparison after the kills", () => {
	const log = (more: object): Held => ({
		triggerName: "contractLogTrigger",
		uniqueId: "a_1",
		blockHash: "b",
		...more,
	});

	it("finds what was never told", () => {
		const marks = new Set(["contractLogTrigger a_1 b", "blockTrigger b"]);
		expect(missingOf(marks, [log({})])).toEqual(["blockTrigger b"]);
		expect(missingOf(marks, [log({ removed: true })])).toHaveLength(2);
	});

	it("finds what was never taken back", () => {
		expect(neverTakenBack([log({})], new Set(["b"]))).toEqual([]);
		expect(neverTakenBack([log({})], new Set(["c"]))).toHaveLength(1);
		expect(neverTakenBack([log({}), log({ removed: true })], new Set(["c"]))).toEqual([]);
	});
});
