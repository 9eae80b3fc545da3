import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import { openDeliveries } from "../../../src/node/events/deliveries.js";
import { FakeChain, unsliced } from "./fake-chain.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "webhook-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const fileOf = (name: string): string => join(directory, "events", name);

/** A webhook that answers 204, or 503 while `refuses` says so. */
async function hookOf(chain: FakeChain, from?: number, refuses: () => boolean = () => false) {
	const posted: string[] = [];
	const pauses: number[] = [];
	const warnings: string[] = [];
	const fromBlock = from === undefined ? "" : `, fromBlock = ${from}`;
	const section = `storage {}\nevent.subscribe.webhooks = [{ name = a, url = "http://a", kinds = [block, soliditylog]${fromBlock} }]`;
	const config = parseConfig(section).events;
	if (!config) throw new Error("no events");
	const [delivery] = await openDeliveries({
		config,
		chain: chain.view,
		dataDirectory: directory,
		surroundings: {
			environment: {},
			host: undefined,
			nowMs: () => 0,
			fetch: async (_, init) => {
				if (refuses()) return new Response(null, { status: 503 });
				const { blockNumber, part, parts } = JSON.parse(String(init?.body)) as Record<string, number>;
				posted.push(parts === 1 ? String(blockNumber) : `${blockNumber}:${part}/${parts}`);
				return new Response(null, { status: 204 });
			},
			portError: (_, error) => error as Error,
		},
		run: "r",
		pause: async (ms) => {
			pauses.push(ms);
		},
		slice: unsliced,
		warn: (text) => warnings.push(text),
		info: () => {},
		report: (error) => {
			throw error;
		},
	});
	if (!delivery) throw new Error("no delivery");
	chain.observe(delivery.observer);
	delivery.start();
	return { delivery, posted, pauses, warnings };
}

async function settled(): Promise<void> {
	for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the delivery of solidified blocks", () => {
	it("begins after the solidified block, or where the configuration says, and follows", async () => {
		const chain = new FakeChain();
		chain.push(6);
		const later = await hookOf(chain);
		await settled();
		expect(later.posted).toEqual([]);
		chain.push(2);
		await settled();
		expect(later.posted).toEqual(["4", "5"]);
		await later.delivery.stop();
		rmSync(fileOf("webhook-a.outbox"));
		const early = await hookOf(chain, 2);
		await settled();
		expect(early.posted).toEqual(["2", "3", "4", "5"]);
		expect(early.delivery.counts).toEqual({
			name: "a",
			position: 5,
			lag: 0,
			errors: 0,
			sent: 8,
			lost: 0,
			leftOut: 0,
		});
	});

	it("goes on after its stored position, whatever block it is to begin with", async () => {
		const chain = new FakeChain();
		chain.push(6);
		const first = await hookOf(chain, 1);
		await settled();
		expect(first.posted).toEqual(["1", "2", "3"]);
		await first.delivery.stop();
		chain.forgetObservers();
		chain.push(3);
		const second = await hookOf(chain, 1);
		await settled();
		expect(second.posted).toEqual(["4", "5", "6"]);
	});

	it("goes on after the position of an earlier version of this program, whose file it renames", async () => {
		const chain = new FakeChain();
		chain.push(8);
		mkdirSync(join(directory, "events"));
		writeFileSync(fileOf("a.position"), `3 ${chain.ids[2]}\n`);
		const first = await hookOf(chain, 1);
		await settled();
		expect(first.posted).toEqual(["4", "5"]);
		expect(first.warnings).toEqual([]);
		expect(readdirSync(join(directory, "events"))).toEqual(["webhook-a.outbox"]);
		await first.delivery.stop();
		chain.forgetObservers();
		chain.push(1);
		const second = await hookOf(chain, 1);
		await settled();
		expect(second.posted).toEqual(["6"]);
	});

	it("tries again, at longer intervals, until it is acknowledged; nothing is left out", async () => {
		let left = 9;
		const chain = new FakeChain();
		chain.push(6);
		const { delivery, posted, pauses, warnings } = await hookOf(chain, 1, () => left-- > 0);
		await settled();
		expect(posted).toEqual(["1", "2", "3"]);
		expect(pauses).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000]);
		expect(delivery.counts.errors).toBe(9);
		expect(warnings).toEqual(["events of a wait at block 1: the receiver answers 503"]);
	});

	it("delivers long blocks in numbered parts", async () => {
		const chain = new FakeChain();
		chain.lag = 0;
		chain.logCount = 1_000;
		chain.push(1);
		const { posted } = await hookOf(chain, 1);
		await settled();
		expect(posted).toEqual(["1:0/3", "1:1/3", "1:2/3"]);
	});

	it("publishes a development chain's new blocks after it was put back", async () => {
		const chain = new FakeChain();
		chain.lag = 0;
		chain.push(3);
		const { posted, warnings } = await hookOf(chain, 1);
		await settled();
		chain.putBack(2);
		chain.push(2, 5);
		await settled();
		expect(posted).toEqual(["1", "2", "3", "2", "3"]);
		expect(warnings).toEqual([]);
	});

	it("publishes a block again that is another one than was published", async () => {
		const chain = new FakeChain();
		chain.push(6);
		mkdirSync(join(directory, "events"));
		writeFileSync(fileOf("a.position"), `3 ${"f".repeat(64)}\n`);
		const { posted, warnings } = await hookOf(chain);
		await settled();
		expect(posted).toEqual(["3"]);
		expect(warnings[0]).toContain("block 3 is another one");
	});

	it("waits, and says so, at a block that the node doesn't have", async () => {
		const chain = new FakeChain();
		chain.push(6);
		chain.missing.add(2);
		const { posted, warnings } = await hookOf(chain, 1);
		await settled();
		chain.push(1);
		await settled();
		expect(posted).toEqual(["1"]);
		expect(warnings).toEqual(["events of a wait: block 2 is not stored"]);
	});

	it("does not start on a damaged position", async () => {
		mkdirSync(join(directory, "events"));
		writeFileSync(fileOf("a.position"), "3\n");
		await expect(hookOf(new FakeChain())).rejects.toThrow("is damaged");
		expect(readFileSync(fileOf("webhook-a.outbox"), "utf8")).toBe("3\n");
	});
});
