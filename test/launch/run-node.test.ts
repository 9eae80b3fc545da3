import { expect, test } from "vitest";
import { runNode } from "../../src/launch/run-node.js";
import type { NodeOptions, RunningNode } from "../../src/node/node.js";

test("the last line has the head as it is stored, with a block that was made during the stop", async () => {
	const chain = { head: { number: 11n } };
	const node = {
		open: { chain },
		failure: new Promise(() => undefined),
		finished: Promise.resolve(),
		// A block that was packed is applied at the stop.
		close: async () => void chain.head.number++,
	} as unknown as RunningNode;
	const lines: unknown[] = [];
	const info = (fields: object, text: string): void => void lines.push([text, fields]);
	const log = { info, warn: info, error: info, flush: () => undefined };
	const options = { development: {} } as NodeOptions;
	await runNode(
		options,
		log as never,
		{},
		"1.0.0",
		() => undefined,
		async () => node,
	);
	expect(lines.at(-1)).toEqual(["stopped", { head: "12" }]);
});
