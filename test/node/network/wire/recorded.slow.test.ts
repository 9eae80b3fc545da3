import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isFrame, readRecording } from "../recorded-frames.js";
import { checkFrame } from "./frame-check.js";

const FOLDER = "test/golden/p2p";

describe("recorded frames", () => {
	const files = readdirSync(FOLDER).filter((name) => name.endsWith(".ndjson.br"));

	it.each(files)("%s: every frame is read as recorded, and written with the same bytes", (name) => {
		const frames = readRecording(`${FOLDER}/${name}`).filter(isFrame);
		expect(frames.length).toBeGreaterThan(0);
		const wrong = frames.flatMap((frame) => {
			const problem = checkFrame(frame);
			return problem === undefined ? [] : [`${frame.from} ${frame.name} ${frame.hex}: ${problem}`];
		});
		expect(wrong).toEqual([]);
	});
});
