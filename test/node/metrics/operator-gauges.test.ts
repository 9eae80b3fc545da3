import { expect, test } from "vitest";
import { versionVote } from "../../../src/node/metrics/gauges.js";

const state = (votes: Readonly<Record<number, readonly number[]>>) => ({
	properties: {
		forkStatistics: (version: number) => (votes[version] ? Uint8Array.from(votes[version]) : undefined),
	} as never,
});

test("a vote is under way where some witnesses have a version and not all", () => {
	expect(versionVote(state({}))).toBeUndefined();
	expect(versionVote(state({ 37: [1, 1, 1, 1] }))).toBeUndefined();
	expect(versionVote(state({ 37: [1, 1, 1, 1], 38: [1, 0, 0, 0] }))).toEqual({ version: 38, percent: 25 });
	expect(versionVote(state({ 37: [1, 0, 0, 0], 38: [1, 1, 1, 1], 39: [0, 0, 0, 0] }))).toBeUndefined();
});
