import { type KafkaConfig as ClientOptions, KafkaJSProtocolError } from "kafkajs";
import { describe, expect, it } from "vitest";
import { type KafkaConfig, openKafka } from "../../../../src/node/events/receivers/kafka.js";
import type { Publication } from "../../../../src/node/events/receivers/receiver.js";
import { withIds } from "../../../../src/node/events/stored-backlog.js";
import { onePart } from "../fake-chain.js";

const CONFIG: KafkaConfig = {
	brokers: ["a:1", "b:2"],
	names: new Map([
		["block", "blocks"],
		["contractevent", "calls"],
		["transaction", "transfers"],
	]),
	key: "none",
	login: undefined,
	tls: false,
};

const told: readonly Publication[] = withIds(
	[
		{ kind: "block", id: "b1", body: { blockHash: "b1" }, json: '{"n":1}' },
		{ kind: "contractevent", id: "t1_1", body: { contractAddress: "C" }, json: '{"n":2}' },
		{ kind: "transaction", id: "t1", body: { transactionId: "t1", contractAddress: null }, json: '{"n":3}' },
		{ kind: "block", id: "b2", body: { blockHash: "b2" }, json: '{"n":4}' },
		{ kind: "solidity", id: "b1", body: {}, json: '{"n":5}' },
	],
	{ idHex: "b1", round: 0 },
);

/** A client that keeps what it is asked. */
function client(fails: readonly unknown[] = []) {
	const asked: {
		options?: ClientOptions;
		batches: Record<string, unknown>[];
		connected: number;
		closed: number;
	} = {
		batches: [],
		connected: 0,
		closed: 0,
	};
	const left = [...fails];
	const clientOf = (options: ClientOptions) => {
		asked.options = options;
		const producer = () => ({
			connect: async () => {
				asked.connected++;
			},
			disconnect: async () => {
				asked.closed++;
			},
			sendBatch: async (batch: Record<string, unknown>) => {
				asked.batches.push(batch);
				const error = left.shift();
				if (error) throw error;
			},
		});
		return { producer } as never;
	};
	return { asked, clientOf };
}

const { signal } = new AbortController();

describe("Kafka", () => {
	it("has a record for each message in the topic of its kind, without key and headers, acknowledged by all", async () => {
		const { asked, clientOf } = client();
		const receiver = openKafka(CONFIG, undefined, clientOf);
		await receiver.deliver(told, signal, onePart);
		expect(asked.batches).toMatchObject([
			{
				acks: -1,
				topicMessages: [
					{
						topic: "blocks",
						messages: [
							{ key: null, value: '{"n":1}' },
							{ key: null, value: '{"n":4}' },
						],
					},
					{ topic: "calls", messages: [{ key: null, value: '{"n":2}' }] },
					{ topic: "transfers", messages: [{ key: null, value: '{"n":3}' }] },
				],
			},
		]);
		expect(asked.options).toMatchObject({ brokers: ["a:1", "b:2"], ssl: false });
		expect(asked.options).not.toHaveProperty("sasl");
		await receiver.close();
		expect(asked.closed).toBe(1);
	});

	it("can have the contract or the transaction as key", async () => {
		const { asked, clientOf } = client();
		await openKafka({ ...CONFIG, key: "entity" }, undefined, clientOf).deliver(told, signal, onePart);
		const topics = asked.batches[0]?.["topicMessages"] as { topic: string; messages: { key: unknown }[] }[];
		expect(topics.map(({ topic, messages }) => [topic, messages[0]?.key])).toEqual([
			["blocks", null],
			["calls", "C"],
			["transfers", "t1"],
		]);
	});

	it("logs in where it has a password", () => {
		const { asked, clientOf } = client();
		const login = { user: "me", password: undefined, passwordFile: "f" };
		openKafka({ ...CONFIG, login }, "word", clientOf);
		expect(asked.options?.sasl).toEqual({ mechanism: "scram-sha-512", username: "me", password: "word" });
	});

	it("connects anew after a failure, and keeps its connection after a refusal", async () => {
		const refusal = new KafkaJSProtocolError({
			type: "MESSAGE_TOO_LARGE",
			code: 10,
			retriable: false,
			message: "too large",
		} as never);
		const { asked, clientOf } = client([new Error("gone"), refusal]);
		const receiver = openKafka(CONFIG, undefined, clientOf);
		await expect(receiver.deliver(told, signal, onePart)).rejects.toThrow("gone");
		expect(asked).toMatchObject({ connected: 1, closed: 1 });
		await expect(receiver.deliver(told, signal, onePart)).rejects.toMatchObject({ name: "RefusedError" });
		await receiver.deliver(told, signal, onePart);
		expect(asked).toMatchObject({ connected: 2, closed: 1 });
	});
});
