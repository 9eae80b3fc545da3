import { describe, expect, it } from "vitest";
import { readRecording } from "../recorded-frames.js";
import { recordedConnections, replayProbes } from "./probe-replay.js";

describe("recorded probes", () => {
	it.each([
		"05a-refusals-probe",
		"07a-probe-handshake",
		"07b-probe-sync-requests",
		"07c-bad-transport",
		"07d-bad-application",
		"07e-adv-good-and-bad",
		"07f-probe-serves-sync",
		"07g-silence-and-bans",
		"07h-relay-between-two-probes",
	])("%s: our transport sends the recorded bytes and closes where the recorded node did", async (name) => {
		const lines = readRecording(`test/golden/p2p/${name}.ndjson.br`);
		expect(await replayProbes(lines)).toEqual(recordedConnections(lines));
	});
});
