import { Int32, Long, type MongoClientOptions, ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import type { EventBody, EventKind } from "../../../../src/node/events/receivers/event-message.js";
import { type MongodbConfig, openMongodb } from "../../../../src/node/events/receivers/mongodb.js";
import type { Publication } from "../../../../src/node/events/receivers/receiver.js";
import { withIds } from "../../../../src/node/events/stored-backlog.js";
import { onePart } from "../fake-chain.js";

const KINDS: readonly EventKind[] = ["block", "contractevent", "contractlog"];

const configOf = (version: 1 | 2): MongodbConfig => ({
	server: "a:1",
	database: "log",
	login: undefined,
	version,
	names: new Map(KINDS.map((kind) => [kind, `${kind}s`])),
});

const message = (kind: EventKind, id: string, body: EventBody) => ({ kind, id, body, json: "" });

const TOLD: readonly Publication[] = withIds(
	[
		message("block", "b1", { timeStamp: 1_700_000_000_123n, blockNumber: 7n, size: 3, none: null }),
		message("contractevent", "t_1", {
			timeStamp: 1_700_000_000_123n,
			uniqueId: "t_1",
			blockHash: "b1",
			removed: false,
			dataMap: { 0: "x", $where: "y", "a.b": "z" },
			topics: ["p", 2_147_483_648n, -2_147_483_648n],
		}),
		message("contractevent", "t_2", { timeStamp: 0n, uniqueId: "t_2", blockHash: "b1", removed: true }),
		message("contractlog", "t_3", { timeStamp: 0n, uniqueId: "t_3", blockHash: "b1", removed: true }),
		message("transaction", "t", { timeStamp: 0n }),
	],
	{ idHex: "b1", round: 0 },
);

/** A database that keeps what it is asked. @param fails what each write ends with, in turn */
function database(existing: readonly string[], fails: readonly unknown[] = []) {
	const left = [...fails];
	const asked = {
		options: undefined as MongoClientOptions | undefined,
		indexes: [] as unknown[],
		writes: [] as [collection: string, writes: unknown[]][],
	};
	const db = {
		listCollections: () => ({ toArray: async () => existing.map((name) => ({ name })) }),
		collection: (name: string) => ({
			createIndexes: async (indexes: unknown) => {
				asked.indexes.push([name, indexes]);
			},
			bulkWrite: async (writes: unknown[], { ordered }: { ordered: boolean }) => {
				if (ordered) asked.writes.push([name, writes]);
				const error = left.shift();
				if (error) throw error;
			},
		}),
	};
	const clientOf = (_: string, options: MongoClientOptions) => {
		asked.options = options;
		return { db: () => db, close: async () => {} } as never;
	};
	return { asked, clientOf };
}

const { signal } = new AbortController();

const writeError = (code: number, index: number): Error =>
	Object.assign(new Error("refused"), { code, writeErrors: [{ code, index }] });

describe("MongoDB", () => {
	it("has documents with whole numbers as short as they are, and removes events that are taken back", async () => {
		const { asked, clientOf } = database([]);
		await openMongodb(configOf(1), undefined, clientOf).deliver(TOLD, signal, onePart);
		const [blocks, events, logs] = asked.writes;
		expect(asked.writes.map(([name]) => name)).toEqual(["blocks", "contractevents", "contractlogs"]);
		expect(blocks?.[1]).toEqual([
			{
				insertOne: {
					document: {
						_id: expect.any(ObjectId),
						timeStamp: Long.fromBigInt(1_700_000_000_123n),
						blockNumber: new Int32(7),
						size: new Int32(3),
						none: null,
					},
				},
			},
		]);
		expect(events?.[1]).toMatchObject([
			{
				insertOne: {
					document: {
						dataMap: { 0: "x", "\uff04where": "y", "a\uff0eb": "z" },
						topics: ["p", Long.fromBigInt(2_147_483_648n), new Int32(-2_147_483_648)],
					},
				},
			},
			{ deleteMany: { filter: { uniqueId: "t_2" } } },
		]);
		expect(logs?.[1]).toMatchObject([{ insertOne: { document: { uniqueId: "t_3", removed: true } } }]);
		expect(asked.indexes).toEqual([]);
		expect(asked.options).toMatchObject({ writeConcern: { journal: true }, maxPoolSize: 8 });
		expect(asked.options).not.toHaveProperty("auth");
	});

	it("gives what is told again the same _id, which begins with the seconds of the block", async () => {
		const ids = await Promise.all(
			[0, 1].map(async () => {
				const { asked, clientOf } = database([]);
				await openMongodb(configOf(1), undefined, clientOf).deliver(TOLD, signal, onePart);
				const writes = asked.writes[0]?.[1] as { insertOne: { document: { _id: ObjectId } } }[] | undefined;
				return writes?.[0]?.insertOne.document._id;
			}),
		);
		expect(ids[0]).toEqual(ids[1]);
		expect(ids[0]?.getTimestamp().getTime()).toBe(1_700_000_000_000);
	});

	it("goes on behind a document that is there already", async () => {
		const { asked, clientOf } = database([], [undefined, writeError(11_000, 0)]);
		await openMongodb(configOf(1), undefined, clientOf).deliver(TOLD, signal, onePart);
		expect(asked.writes.map(([name, writes]) => [name, writes.length])).toEqual([
			["blocks", 1],
			["contractevents", 2],
			["contractevents", 1],
			["contractlogs", 1],
		]);
	});

	it.each([
		[52, "RefusedError"],
		[10_334, "RefusedError"],
		[11_600, "Error"],
	])("ends a delivery with code %i as %s", async (code, name) => {
		const { clientOf } = database([], [writeError(code, 0)]);
		const receiver = openMongodb(configOf(1), undefined, clientOf);
		await expect(receiver.deliver(TOLD, signal, onePart)).rejects.toMatchObject({ name });
	});

	it("replaces by key in version 2, with indexes where it makes the collection", async () => {
		const { asked, clientOf } = database(["blocks"]);
		const receiver = openMongodb(configOf(2), undefined, clientOf);
		await receiver.deliver(TOLD, signal, onePart);
		await receiver.deliver(TOLD.slice(0, 1), signal, onePart);
		expect(asked.indexes).toEqual([
			["contractevents", [{ key: { uniqueId: 1 }, unique: true }]],
			["contractlogs", [{ key: { uniqueId: 1 }, unique: true }, { key: { contractAddress: 1 } }]],
		]);
		expect(asked.writes[0]?.[1]).toMatchObject([
			{
				replaceOne: {
					filter: { blockNumber: new Int32(7) },
					replacement: { size: new Int32(3) },
					upsert: true,
				},
			},
		]);
		expect(asked.writes[1]?.[1]).toMatchObject([
			{ replaceOne: { filter: { uniqueId: "t_1" } } },
			{ deleteMany: { filter: { uniqueId: "t_2" } } },
		]);
	});

	it("logs in against its database", () => {
		const { asked, clientOf } = database([]);
		const login = { user: "me", password: "word", passwordFile: undefined };
		openMongodb({ ...configOf(1), login }, "word", clientOf);
		expect(asked.options).toMatchObject({
			auth: { username: "me", password: "word" },
			authSource: "log",
			authMechanism: "SCRAM-SHA-1",
		});
	});
});
