import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import { openDeliveries } from "../../../src/node/events/deliveries.js";
import { SmallNats } from "../../brokers/small-nats.js";
import { FakeChain, unsliced } from "./fake-chain.js";

let directory: string;
let server: SmallNats;
beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "deliveries-"));
	server = new SmallNats();
	server.login = ["me", "word"];
	await server.start();
});
afterEach(async () => {
	await server.kill();
	rmSync(directory, { recursive: true });
});

function create(
	section: string,
	environment: Readonly<Record<string, string>> = {},
	chain = new FakeChain(),
) {
	const config = parseConfig(`storage {}\nevent.subscribe { ${section} }`, "f", { events: true }).events;
	if (!config) throw new Error("no events");
	const warnings: string[] = [];
	const deliveries = openDeliveries({
		config,
		chain: chain.view,
		dataDirectory: directory,
		surroundings: {
			environment,
			host: "127.0.0.1",
			nowMs: () => 0,
			fetch: async () => Response.error(),
			portError: (_, error) => error as Error,
		},
		run: "r",
		pause: async () => {
			await new Promise((resolve) => setTimeout(resolve, 5));
		},
		slice: unsliced,
		warn: (text) => warnings.push(text),
		info: () => {},
		report: (error) => {
			throw error;
		},
	});
	return { deliveries, warnings, chain };
}

const nats = (more: string): string => `nats { server = "${server.url}", user = me, ${more} }`;

describe("the receivers of a node", () => {
	it.each(["passwordFile", "environment"])(
		"tell with a password of the %s, from a position on",
		async (where) => {
			const file = join(directory, "password");
			writeFileSync(file, "word\n");
			const section = nats(where === "passwordFile" ? `passwordFile = "${file}"` : "");
			const { deliveries, warnings, chain } = create(section, { COIN_NATS_PASSWORD: "word" });
			const [delivery] = await deliveries;
			if (!delivery) throw new Error("no delivery");
			chain.observe(delivery.observer);
			delivery.start();
			chain.push(5);
			while (delivery.counts.lag > 0) {
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
			await delivery.stop();
			expect(warnings).toEqual([]);
			expect(server.stored.filter(({ subject }) => subject === "coin.events.block")).toHaveLength(5);
			const [again] = await create(section, { COIN_NATS_PASSWORD: "word" }, chain).deliveries;
			expect(again?.counts.position).toBe(5);
			await again?.stop();
		},
	);

	it.each([
		["", "me has no password: name a passwordFile, or set COIN_NATS_PASSWORD"],
		['passwordFile = "/nowhere/x"', "/nowhere/x can't be read (ENOENT)"],
		['credentialsFile = "/nowhere/y", passwordFile = "/dev/null"', "/dev/null must hold 1 to 65536 bytes"],
	])("don't start without a secret: %s", async (more, message) => {
		await expect(create(nats(more)).deliveries).rejects.toThrow(message);
	});

	it("of Kafka and MongoDB start too, and take a password of dbconfig", async () => {
		const topics = "topics = [{ triggerName = block, enable = true, topic = blocks }]";
		for (const section of [
			`path = kafka.zip, server = "127.0.0.1:1", ${topics}`,
			`path = mongodb.zip, server = "127.0.0.1:1", dbconfig = "log|me|word", ${topics}`,
			`path = kafka.zip, server = "127.0.0.1:1", positions = false, ${topics}`,
		]) {
			const [delivery] = await create(section).deliveries;
			expect(delivery?.counts).toMatchObject({ position: 0, lag: 0 });
			await delivery?.stop();
		}
		const without = `path = mongodb.zip, server = "127.0.0.1:1", dbconfig = "log|me|", ${topics}`;
		await expect(create(without).deliveries).rejects.toThrow("me has no password");
	});
});
