import { expect, it } from "vitest";
import { VersionWatch } from "../../../src/node/consensus/version-watch.js";

const block = (producer: number, version: number) => ({
	witness: Uint8Array.of(producer >> 8, producer & 255),
	raw: { version },
});

it("tells of each producer that begins to vote for an unknown version, once", () => {
	const told: object[] = [];
	const watch = new VersionWatch(38, (vote) => told.push(vote));
	for (const [producer, version] of [
		[1, 38],
		[2, 32],
		[2, 39],
		[2, 39],
		[1, 40],
		[1, 38],
		[1, 39],
	] as const) {
		watch.committed(block(producer, version));
	}
	expect(told).toEqual([
		{ version: 39, voters: 1, producers: 2 },
		{ version: 40, voters: 2, producers: 2 },
		{ version: 39, voters: 2, producers: 2 },
	]);
});

it("forgets producers that have made no block for long", () => {
	const told: { voters: number }[] = [];
	const watch = new VersionWatch(38, (vote) => told.push(vote));
	for (let producer = 0; producer < 300; producer++) watch.committed(block(producer, 39));
	expect(told.at(-1)).toEqual({ version: 39, voters: 100, producers: 100 });
});
