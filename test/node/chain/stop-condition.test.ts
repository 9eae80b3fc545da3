import { describe, expect, it } from "vitest";
import { AlreadyThereError, stopCondition } from "../../../src/node/chain/stop-condition.js";
import { ConfigError } from "../../../src/node/config/config.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import { openSmall, produceMany } from "./small-chain.js";

describe("where a node stops by itself", () => {
	it("is a height that the head has, or so many blocks above the start", () => {
		const chain = { head: { number: 5n, timestampMs: 0n } };
		const atHeight = stopCondition({ at: "height", height: 7n }, chain);
		const afterCount = stopCondition({ at: "count", count: 2n }, chain);
		const found = [6n, 7n, 8n].map((number) => {
			chain.head = { number, timestampMs: 0n };
			return [atHeight(), afterCount()];
		});
		expect(found).toEqual([
			[false, false],
			[true, true],
			[false, false],
		]);
	});

	it("is the time of a block", () => {
		const chain = { head: { number: 5n, timestampMs: 3000n } };
		const isThere = stopCondition({ at: "time", reached: (ms) => ms === 6000 }, chain);
		expect(isThere()).toBe(false);
		chain.head = { number: 6n, timestampMs: 6000n };
		expect(isThere()).toBe(true);
	});

	it("refuses a start beyond it, and one that is there already", () => {
		const chain = { head: { number: 5n, timestampMs: 0n } };
		expect(() => stopCondition({ at: "height", height: 4n }, chain)).toThrow(
			new ConfigError("node.shutdown.BlockHeight = 4 is below the head, block 5"),
		);
		expect(() => stopCondition({ at: "height", height: 5n }, chain)).toThrow(AlreadyThereError);
	});

	it("is looked for before a block of a peer, which is dropped; own blocks pass it", async () => {
		const source = await openSmall();
		const blocks = produceMany(source, 4);
		const open = await openSmall();
		const isThere = stopCondition({ at: "height", height: 2n }, open.chain);
		const chain = new NodeChain({ open, pool: undefined, report: () => {}, isAtEnd: isThere });
		const results = blocks.map((block) => chain.push(block));
		expect(results.map((result) => result.kind === "accepted" && result.isNew)).toEqual([
			true,
			true,
			false,
			false,
		]);
		expect(open.chain.head.number).toBe(2n);
		produceMany(open, 1);
		expect(open.chain.head.number).toBe(3n);
		chain.close();
		await open.close();
		await source.close();
	});
});
