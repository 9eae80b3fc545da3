import { describe, expect, it } from "vitest";
import {
	ForkGates,
	forkTable,
	nileForkTable,
	producedVersion,
	voted,
} from "../../../src/node/rules/fork-gates.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { GENESIS_MS, openState, rules, setHead } from "../consensus/chain-state.js";

const HARD_FORK_MS = 1_596_780_000_000n;
const ones = (count: number, of: number) => Uint8Array.from({ length: of }, (_, i) => (i < count ? 1 : 0));

async function openGates(headMs = GENESIS_MS) {
	const state = await openState(27);
	setHead(state, 5n, headMs);
	return { state, forks: new ForkGates(state, rules) };
}

describe("fork gates", () => {
	it.each([
		[9, 26, false],
		[9, 27, true],
		[27, 21, false],
		[27, 22, true],
		[18, 27, false],
		[33, 18, false],
		[33, 19, true],
		[34, 21, false],
		[34, 22, true],
		[35, 18, false],
		[35, 19, true],
		[36, 21, false],
		[36, 22, true],
		[37, 18, false],
		[37, 19, true],
		[38, 18, false],
		[38, 19, true],
		[39, 27, false],
	])("version %i with %i of 27 producers: %s", async (version, count, passed) => {
		const { state, forks } = await openGates();
		state.properties.setForkStatistics(version, ones(count, 27));
		expect(forks.passed(version)).toBe(passed);
	});

	it("wait for the first maintenance time from the hard fork on", async () => {
		// 600 s intervals since 1970: the hard fork's time is itself one.
		for (const [headMs, passed] of [
			[HARD_FORK_MS - 1n, false],
			[HARD_FORK_MS, true],
		] as const) {
			const { state, forks } = await openGates(headMs);
			state.properties.setForkStatistics(32, ones(27, 27));
			expect(forks.passed(32)).toBe(passed);
		}
	});

	it("know a version of a later release by its row alone, its share included", async () => {
		const { state } = await openGates();
		const forks = new ForkGates(state, rules, [...forkTable, voted(40, "a later one", 70)]);
		for (let i = 0; i < 18; i++) forks.update(40, i, 27);
		expect(forks.passed(40)).toBe(false);
		forks.update(40, 18, 27);
		expect(forks.passed(40)).toBe(true);
		forks.update(40, 19, 27);
		expect(forks.passed(32)).toBe(true);
		expect(state.properties.get("VERSION_NUMBER")).toBe(40);
	});

	it.each([
		[12, true],
		[18, false],
	])(
		"let the unknown version %i fill the versions below it once all have produced it: %s",
		async (version, fills) => {
			const { state, forks } = await openGates();
			for (let i = 0; i < 28; i++) forks.update(version, i % 27, 27);
			expect([9, 10, 16].map((other) => forks.passed(other))).toEqual([fills, fills, false]);
			expect(state.properties.get("VERSION_NUMBER")).toBe(fills ? version : 0);
		},
	);

	it("answer by the release's name, which networks number differently", async () => {
		const { state, forks } = await openGates();
		const nile = new ForkGates(state, rules, nileForkTable);
		state.properties.setForkStatistics(33, ones(22, 27));
		expect([forks.upgradedTo("4.8.0.1"), forks.upgradedTo("4.8.1")]).toEqual([true, false]);
		expect([nile.upgradedTo("4.8.0.1"), nile.upgradedTo("4.8.1")]).toEqual([false, true]);
	});

	it("keep an older release's record, and tell what has passed by the count of all versions", async () => {
		const { state } = await openGates();
		const old = new ForkGates(state, { ...rules, release: "4.8.0" });
		for (let i = 0; i < 18; i++) old.update(33, i, 27);
		old.update(32, 0, 27);
		// The record of a release that doesn't know the version keeps the vote of witness 0, which takes it back.
		expect(state.properties.forkStatistics(33)).toEqual(Buffer.from(ones(18, 27)));
		old.update(33, 18, 27);
		expect(old.passed(33)).toBe(false);
		old.update(33, 0, 27);
		expect([old.passed(33), old.upgradedTo("4.8.0.1")]).toEqual([true, true]);
		old.update(33, 19, 27);
		expect(state.properties.get("VERSION_NUMBER")).toBe(0);
	});

	it("open the same rules whatever release a node answers as", async () => {
		const gates = await Promise.all(
			(["4.8.0", "4.8.1", "4.8.2"] as const).map(async (release) => {
				const { state } = await openGates();
				const gate = new ForkGates(state, { ...rules, release });
				for (let i = 0; i < 23; i++) gate.update(32, i, 27);
				return gate;
			}),
		);
		let seed = 7;
		const random = (below: number): number => {
			seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
			return Math.floor((seed / 2 ** 31) * below);
		};
		const seen = new Set<string>();
		for (let block = 0; block < 3_000; block++) {
			const version = 31 + random(Math.min(9, 2 + Math.floor(block / 250)));
			const witness = random(27);
			for (const gate of gates) {
				if (block % 400 === 399) gate.reset(27);
				gate.update(version, witness, 27);
				if (block % 50 === 0) gate.initIfUnset();
			}
			const opened = gates.map((gate) => forkTable.map((row) => gate.passed(row.version)).join());
			expect(new Set(opened).size).toBe(1);
			seen.add(opened[0] as string);
		}
		expect(seen.size).toBeGreaterThan(2);
	});

	it("fill the versions below one that the release doesn't know", async () => {
		const { state } = await openGates();
		const old = new ForkGates(state, { ...rules, release: "4.8.1" });
		for (let i = 0; i < 23; i++) old.update(36, i, 27);
		expect([33, 34, 35, 36].map((version) => old.passed(version))).toEqual([true, true, true, true]);
		expect(state.properties.forkStatistics(34)).toBeUndefined();
		// The same database under a release that counts them.
		const later = new ForkGates(state, rules);
		later.adopt();
		expect([33, 34, 35, 36].map((version) => later.passed(version))).toEqual([true, true, true, true]);
		expect(state.properties.get("VERSION_NUMBER")).toBe(36);
		expect(state.upgradeVotes.has(utf8("34"))).toBe(false);
	});

	it.each([
		[{ release: "4.8.0" }, 32],
		[{ release: "4.8.1" }, 34],
		[{ release: "4.8.2" }, 36],
		[{ release: "4.8.2", network: "nile" }, 37],
		[{ release: "4.8.2", blockVersion: 38 }, 38],
	] as const)("let blocks of %o vote for version %i", (own, version) => {
		expect(producedVersion({ ...rules, ...own })).toBe(version);
	});

	it("never open a release that a network doesn't have", async () => {
		const { state, forks } = await openGates();
		const nile = new ForkGates(state, rules, nileForkTable);
		state.properties.setForkStatistics(37, ones(27, 27));
		expect([forks.upgradedTo("4.8.2.2"), forks.upgradedTo("4.8.2_PQ1")]).toEqual([true, false]);
		expect([nile.upgradedTo("4.8.2.2"), nile.upgradedTo("4.8.2_PQ1")]).toEqual([false, true]);
	});

	it("open version 5 by height alone", async () => {
		const { state, forks } = await openGates();
		state.properties.setForkStatistics(5, ones(27, 27));
		expect(forks.passed(5)).toBe(false);
		setHead(state, rules.energyLimitHeight, GENESIS_MS);
		expect(forks.passed(5)).toBe(true);
	});

	it("fill the lower versions with the block after the last needed one", async () => {
		const { state, forks } = await openGates();
		for (let i = 0; i < 22; i++) forks.update(32, i, 27);
		expect(forks.passed(32)).toBe(true);
		expect(forks.passed(31)).toBe(false);
		expect(state.properties.get("VERSION_NUMBER")).toBe(0);
		forks.update(32, 22, 27);
		expect(forks.passed(31)).toBe(true);
		expect(state.properties.get("VERSION_NUMBER")).toBe(32);
	});

	it("stay shut below for good when a transaction comes in between", async () => {
		const { state, forks } = await openGates();
		for (let i = 0; i < 22; i++) forks.update(32, i, 27);
		forks.initIfUnset();
		forks.update(32, 22, 27);
		expect(state.properties.get("VERSION_NUMBER")).toBe(32);
		expect(forks.passed(31)).toBe(false);
	});

	it("lose a witness's vote for a version when it sends a lower one", async () => {
		const { state, forks } = await openGates();
		forks.update(9, 3, 27);
		forks.update(8, 3, 27);
		expect(state.properties.forkStatistics(9)).toEqual(Buffer.alloc(27));
		expect(state.properties.forkStatistics(8)?.[3]).toBe(1);
	});

	it("forget versions that haven't passed at maintenance, unknown ones excepted", async () => {
		const { state, forks } = await openGates();
		for (const version of [9, 39]) state.properties.setForkStatistics(version, ones(3, 27));
		state.properties.setForkStatistics(10, ones(27, 27));
		forks.reset(26);
		expect(state.properties.forkStatistics(9)).toEqual(new Uint8Array(26));
		expect(state.properties.forkStatistics(10)).toEqual(ones(27, 27));
		expect(state.properties.forkStatistics(39)).toEqual(ones(3, 27));
	});

	it.each([
		["outside the active list", 32, -1],
		["below version 5", 4, 0],
		["of a negative version", -1, 0],
	])("ignore a block %s", async (_what, version, position) => {
		const { state, forks } = await openGates();
		forks.update(version, position, 27);
		expect(state.properties.forkStatistics(version)).toBeUndefined();
	});
});
