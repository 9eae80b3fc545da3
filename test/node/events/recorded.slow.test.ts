/** Events as the reference node's native queue told them (`EVENT_RECORDINGS=FOLDER npx vitest run test/node/events/recorded.slow.test.ts` replays more of them). */

import { describe, expect, it } from "vitest";
import { EVENT_LIMITS, eventBudget } from "../../../src/node/events/event-budget.js";
import { compareFrames, readFrames, tellRecording } from "../../../tools/replay/event-frames.js";
import { openRecordings } from "../../../tools/replay/recording.js";
import { storedDelivery } from "./fake-chain.js";

const FOLDER = process.env["EVENT_RECORDINGS"] ?? "test/golden/events";
const frames = readFrames(`${FOLDER}/events.ndjson.br`);

/** After a move to another branch blocks are told one by one, each with the solidified number of its own step. */
const withoutSolid = (json: string): string =>
	json.startsWith('{"timeStamp"') && json.includes('"blockTrigger"')
		? json.replace(/"latestSolidifiedBlockNumber":\d+/, "")
		: json;

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
	);

	it("have internal transactions also where receipts keep none", async () => {
		const [recording] = openRecordings(`${FOLDER}/ops-ev-v0-filter.conf`);
		if (!recording) throw new Error("no set");
		const off = new Map([
			["vm.saveInternalTx", false],
			["vm.saveFeaturedInternalTx", false],
		] as const);
		const told = await tellRecording(recording, undefined, EVENT_LIMITS, off);
		expect(compareFrames(frames.get("v0-filter") ?? [], told.frames, told.version)).toEqual([]);
	});

	it.each([...frames.keys()])(
		"%s: logs that there is no room for until they are solidified are made again, all but those that were taken back",
		async (variant) => {
			const [recording] = openRecordings(`${FOLDER}/ops-ev-${variant}.conf`);
			if (!recording) throw new Error(`no set ${variant}`);
			const usual = (await tellRecording(recording)).frames;
			const few = (await tellRecording(recording, undefined, { ...EVENT_LIMITS, kept: 0 })).frames;
			const texts = few.map(({ topic, json }) => `${topic} ${json}`);
			const missing = usual.filter(({ topic, json }) => !texts.includes(`${topic} ${json}`));
			expect(missing.filter(({ topic }) => !topic.startsWith("solidity"))).toEqual([]);
			expect(few.length).toBe(usual.length - missing.length);
		},
	);

	it.each([...frames.keys()])(
		"%s: a receiver with a position is told the same, and of a new branch the blocks that version 0 leaves out",
		async (variant) => {
			const [recording] = openRecordings(`${FOLDER}/ops-ev-${variant}.conf`);
			if (!recording) throw new Error(`no set ${variant}`);
			const positioned: string[] = [];
			const direct = await tellRecording(recording, (config, chain) => {
				const delivery = storedDelivery({
					config,
					chain,
					budget: eventBudget("a", (text) => {
						throw new Error(text);
					}),
					receiver: {
						deliver: async (told) => void positioned.push(...told.map(({ message }) => message.json)),
						close: async () => {},
					},
					warn: (text) => {
						throw new Error(text);
					},
				});
				delivery.start();
				const rest = async (): Promise<void> => {
					for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
				};
				return { observer: delivery.observer, rest };
			});
			const texts = direct.frames.map(({ json }) => withoutSolid(json));
			const told = positioned.map(withoutSolid);
			const more = told.filter((text) => !texts.includes(text));
			expect(texts.filter((text) => !told.includes(text))).toEqual([]);
			expect(more.filter((text) => !/"(?:block|transaction)Trigger"/.test(text))).toEqual([]);
			expect(told.length).toBe(texts.length + more.length);
			if (direct.version === 1) expect(more).toEqual([]);
			else expect(more.length).toBeLessThan(10);
		},
	);
});
