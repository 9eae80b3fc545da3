/** Events as the reference node's native queue told them (`EVENT_RECORDINGS=FOLDER npx vitest run test/node/events/recorded.test.ts` replays more of them). */

import { describe, expect, it } from "vitest";
import { compareFrames, readFrames, tellRecording } from "../../../src/replay/event-frames.js";
import { openRecordings } from "../../../src/replay/recording.js";

const FOLDER = process.env["EVENT_RECORDINGS"] ?? "test/golden/events";
const frames = readFrames(`${FOLDER}/events.ndjson.br`);

describe("recorded events", () => {
	it.each([...frames.keys()])(
		"%s: each kind has the recorded frames in the recorded order",
		async (variant) => {
			const [recording] = openRecordings(`${FOLDER}/ops-ev-${variant}.conf`);
			if (!recording) throw new Error(`no set ${variant}`);
			const told = await tellRecording(recording);
			const expected = frames.get(variant) ?? [];
			expect(expected.length).toBeGreaterThan(100);
			expect(compareFrames(expected, told.frames, told.version)).toEqual([]);
		},
		60_000,
	);
});
