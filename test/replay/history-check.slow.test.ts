import { describe, expect, test } from "vitest";
import { fromHex } from "../../src/protocol/bytes.js";
import { HistoryCheck } from "../../tools/replay/history-check.js";
import { openNode } from "../../tools/replay/node-target.js";
import { openRecordings } from "../../tools/replay/recording.js";
import { isClean, replay } from "../../tools/replay/replay.js";
import type { ReplayTarget } from "../../tools/replay/target.js";

/** A target whose rows after each block are given: block, then key, then value. */
function targetOf(past: readonly Readonly<Record<string, string>>[]): ReplayTarget {
	const read = (number: number, key: string): Uint8Array | null => {
		const value = past[number]?.[key];
		return value === undefined ? null : fromHex(value);
	};
	return {
		read: (_store: string, key: string) => read(past.length - 1, key),
		readAt: (number: number, _store: string, key: string) => read(number, key),
		settled: () => 0,
		flush: async () => {},
	} as unknown as ReplayTarget;
}

const row = (entries: Readonly<Record<string, string | null>>) => ({ "storage-row": entries });

describe("the check of the history", () => {
	test("reads every entry that changed after every block", async () => {
		const check = new HistoryCheck(targetOf([{ aa: "01" }, { aa: "02" }, { aa: "02", bb: "01" }]));
		check.begin(row({ aa: "01" }) as never);
		await check.advance(1, row({ aa: "02" }));
		await check.advance(2, row({ bb: "01" }));
		expect(check.compare(false)).toEqual({ compared: 6, differences: [] });
	});

	test("finds a value of another block, and an entry that wasn't there yet", async () => {
		const check = new HistoryCheck(targetOf([{ aa: "02", bb: "01" }, { aa: "02", bb: "01" }, {}]));
		check.begin(row({ aa: "01" }) as never);
		await check.advance(1, row({ aa: "02" }));
		await check.advance(2, row({ aa: null, bb: "01" }));
		const { differences } = check.compare(false);
		expect(differences.map(({ number, key }) => [number, key])).toEqual([
			[0, "aa"],
			[0, "bb"],
			[1, "bb"],
			[2, "bb"],
		]);
	});

	test("leaves out the blocks of a branch that nothing tells apart", async () => {
		const check = new HistoryCheck(targetOf([{ aa: "01" }, { aa: "09" }, { aa: "08" }, { aa: "03" }]));
		check.begin(row({ aa: "01" }) as never);
		await check.advance(1, row({ aa: "02" }));
		await check.advance(3, undefined, false);
		expect(check.compare(false)).toEqual({ compared: 2, differences: [] });
	});

	test.each(["core-accounts", "core-fork"])("finds %s as recorded after every block", async (name) => {
		const [recording] = openRecordings(`test/golden/${name}`);
		if (!recording) throw new Error(`no set ${name}`);
		const target = await openNode(recording, undefined, { history: true });
		const findings: unknown[] = [];
		const options = { heal: false, onlyBlocks: true, until: undefined, path: undefined, history: true };
		const report = (finding: unknown): void => {
			if (findings.length < 3) findings.push(finding);
		};
		try {
			const result = await replay(recording, target, { ...options, report });
			expect(findings).toEqual([]);
			expect(result.history?.passed).toBeGreaterThan(1_000);
			expect(isClean(result)).toBe(true);
		} finally {
			await target.close();
		}
	});
});
