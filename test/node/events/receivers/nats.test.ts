import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NatsConfig, openNats } from "../../../../src/node/events/receivers/nats.js";
import type { Receiver } from "../../../../src/node/events/receivers/receiver.js";
import { withIds } from "../../../../src/node/events/stored-backlog.js";
import { SmallNats } from "../../../brokers/small-nats.js";
import { onePart } from "../fake-chain.js";

let server: SmallNats;
let receiver: Receiver;

const TOLD = withIds(
	[
		{ kind: "block", id: "b1", body: { blockHash: "b1" }, json: '{"n":1}' },
		{ kind: "contractlog", id: "t_1", body: { blockHash: "b1", removed: true }, json: '{"n":2}' },
	],
	{ idHex: "b1", round: 1 },
);
const NO_SECRETS = { password: undefined, credentials: undefined };
const { signal } = new AbortController();

const configOf = (more: Partial<NatsConfig> = {}): NatsConfig => ({
	servers: [server.url],
	stream: "COIN",
	subject: "coin.events",
	login: undefined,
	credentialsFile: undefined,
	tls: false,
	...more,
});

beforeEach(async () => {
	server = new SmallNats();
	await server.start();
	receiver = openNats(configOf(), NO_SECRETS);
});
afterEach(async () => {
	await receiver.close();
	await server.kill();
});

describe("NATS", () => {
	it("has a subject for each kind, ids by which the stream knows what comes twice, and a stream", async () => {
		await receiver.deliver(TOLD, signal, onePart);
		await receiver.deliver(TOLD, signal, onePart);
		expect(server.stored).toEqual([
			{ subject: "coin.events.block", id: "blockTrigger/b1/2", text: '{"n":1}' },
			{ subject: "coin.events.contractlog", id: "contractLogTrigger/t_1/b1/2/removed", text: '{"n":2}' },
		]);
		expect(server.stream).toMatchObject({
			name: "COIN",
			subjects: ["coin.events.>"],
			duplicate_window: 600_000_000_000,
		});
	});

	it("fails while the server is gone, and goes on over a new connection", async () => {
		await receiver.deliver(TOLD.slice(0, 1), signal, onePart);
		await server.kill();
		await expect(receiver.deliver(TOLD, signal, onePart)).rejects.toThrow();
		await server.start();
		await receiver.deliver(TOLD, signal, onePart);
		expect(server.stored.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":2}']);
	});

	it("refuses what is longer than the server takes", async () => {
		const [block] = TOLD;
		if (!block) throw new Error("nothing to tell");
		const long = { ...block, message: { ...block.message, json: `"${"x".repeat(5_000)}"` } };
		await expect(receiver.deliver([long], signal, onePart)).rejects.toMatchObject({ name: "RefusedError" });
	});

	it("logs in", async () => {
		server.login = ["me", "word"];
		await expect(receiver.deliver(TOLD, signal, onePart)).rejects.toThrow(/Authorization/i);
		const login = { user: "me", password: undefined, passwordFile: undefined };
		const other = openNats(configOf({ login }), { password: "word", credentials: undefined });
		await other.deliver(TOLD, signal, onePart);
		await other.close();
		expect(server.stored).toHaveLength(2);
	});
});
