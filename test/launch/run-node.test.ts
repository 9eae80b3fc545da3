import { expect, test, vi } from "vitest";
import { runNode } from "../../src/launch/run-node.js";
import type { NodeOptions } from "../../src/node/node.js";

const chain = { head: { number: 11n } };
vi.mock("../../src/node/node.js", () => ({
	startNode: async () => ({
		open: { chain },
		failure: new Promise(() => undefined),
		finished: Promise.resolve(),
		// A block that was packed is applied at the stop.
		close: async () => void chain.head.number++,
	}),
}));

test("the last line has the head as it is stored, with a block that was made during the stop", async () => {
	const lines: unknown[] = [];
	const info = (fields: object, text: string): void => void lines.push([text, fields]);
	const log = { info, warn: info, error: info, flush: () => undefined };
	await runNode({ development: {} } as NodeOptions, log as never, {}, "1.0.0", () => undefined);
	expect(lines.at(-1)).toEqual(["stopped", { head: "12" }]);
});
