/** Nodes with one key and one set of marks, whose clocks jump and whose branches part, through restarts of the signer. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SigningMarks } from "../../../src/keystore/signer/marks.js";

/** STANDBY_RUNS=1000 takes a minute, most of which is waiting for the disk. */
const RUNS = Number(process.env["STANDBY_RUNS"] ?? 60);
const SLOT_MS = 3_000n;

/** What happens next: a node wants its slot, its clock jumps, its branch loses or gains blocks, or the signer starts anew. */
const event = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({ kind: fc.constant("slot" as const), node: fc.nat(2), root: fc.nat(2) }),
	},
	fc.record({ kind: fc.constant("clock" as const), node: fc.nat(2), by: fc.integer({ min: -4, max: 4 }) }),
	fc.record({ kind: fc.constant("branch" as const), node: fc.nat(2), by: fc.integer({ min: -2, max: 3 }) }),
	fc.record({ kind: fc.constant("restart" as const) }),
);

test("never sign two blocks for a slot, nor go back in height", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-marks-"));
	let run = 0;
	try {
		await fc.assert(
			fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), async (events) => {
				const place = join(directory, String(run++));
				// Whatever happens takes a slot.
				let clockMs = 0;
				const monotonic = (): number => (clockMs += Number(SLOT_MS));
				let marks = await SigningMarks.open(place, monotonic);
				const nodes = Array.from({ length: 3 }, () => ({ height: 10n, slot: 100n }));
				const signed: { slot: bigint; height: bigint; hash: string }[] = [];
				for (const each of events) {
					if (each.kind === "restart") {
						await marks.close();
						marks = await SigningMarks.open(place, monotonic);
						continue;
					}
					const node = nodes[each.node] as (typeof nodes)[number];
					if (each.kind === "clock") node.slot += BigInt(each.by);
					else if (each.kind === "branch") node.height += BigInt(each.by);
					else {
						node.slot++;
						const { slot, height } = { slot: node.slot, height: node.height + 1n };
						const hash = `${height} ${slot} ${each.root}`;
						const step = { subject: "key block", places: [height, slot * SLOT_MS], gap: SLOT_MS, hash };
						if ((await marks.judge(step)).refused !== undefined) continue;
						await marks.advance(step);
						signed.push({ slot, height, hash });
						node.height = height;
					}
				}
				await marks.close();
				for (const [at, { slot, height, hash }] of signed.entries())
					for (const before of signed.slice(0, at)) {
						expect(height).toBeGreaterThanOrEqual(before.height);
						expect(slot > before.slot || hash === before.hash).toBe(true);
					}
			}),
			{ numRuns: RUNS },
		);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
