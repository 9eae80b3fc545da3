/** MongoDB receiver with the network plugin's documents (protocol/events §7.5). Loaded only if configured. */

import { createHash } from "node:crypto";
import {
	type AnyBulkWriteOperation,
	type Collection,
	type Db,
	type Document,
	Int32,
	Long,
	MongoClient,
	type MongoClientOptions,
	ObjectId,
} from "mongodb";
import type { EventKind, EventMessage, EventValue } from "./event-message.js";
import { CONNECTION_MS, type Publication, type Receiver, RefusedError } from "./receiver.js";
import type { ReceiverLogin } from "./secrets.js";

export interface MongodbConfig {
	/** `host:port` */
	readonly server: string;
	readonly database: string;
	/** SCRAM-SHA-1; undefined: no authentication. */
	readonly login: ReceiverLogin | undefined;
	/** 1: documents are inserted; 2: they replace those with the same key. */
	readonly version: 1 | 2;
	/** The collection of each published kind. */
	readonly names: ReadonlyMap<EventKind, string>;
}

const SOCKET_MS = 30_000;
const CONNECTIONS = 8;
const DUPLICATE_KEY = 11_000;
/** Error codes for values, field names or sizes that the server will never accept. */
const REFUSALS: ReadonlySet<unknown> = new Set([2, 9, 22, 52, 57, 10_334, 17_280, 17_419, 17_420]);

/** The unique field of each collection, in version 2. */
const KEYS: Readonly<Record<EventKind, string>> = {
	block: "blockNumber",
	transaction: "transactionId",
	solidity: "latestSolidifiedBlockNumber",
	contractevent: "uniqueId",
	contractlog: "uniqueId",
	solidityevent: "uniqueId",
	soliditylog: "uniqueId",
};

/**
 * @param password undefined: no authentication
 * @param clientOf client factory
 */
export function openMongodb(
	config: MongodbConfig,
	password: string | undefined,
	clientOf: (url: string, options: MongoClientOptions) => Pick<MongoClient, "db" | "close"> = (
		url,
		options,
	) => new MongoClient(url, options),
): Receiver {
	const { server, database, login, version, names } = config;
	const client = clientOf(`mongodb://${server}/`, {
		...(login && password !== undefined
			? {
					auth: { username: login.user, password },
					authSource: database,
					authMechanism: "SCRAM-SHA-1" as const,
				}
			: {}),
		directConnection: true,
		maxPoolSize: CONNECTIONS,
		writeConcern: { journal: true },
		retryWrites: false,
		serverSelectionTimeoutMS: CONNECTION_MS,
		connectTimeoutMS: CONNECTION_MS,
		socketTimeoutMS: SOCKET_MS,
		appName: "coin",
	});
	const db = client.db(database);
	let isReady = false;
	return {
		deliver: async (publications) => {
			if (!isReady && version === 2) await makeCollections(db, names);
			isReady = true;
			for (const [kind, some] of byKind(publications)) {
				const name = names.get(kind);
				if (name !== undefined) await write(db.collection(name), writesOf(kind, some, version));
			}
		},
		close: () => client.close(),
	};
}

/** Creates missing collections with their indexes; existing ones get no indexes. */
async function makeCollections(db: Db, names: MongodbConfig["names"]): Promise<void> {
	const found = await db.listCollections({}, { nameOnly: true }).toArray();
	const existing = new Set(found.map(({ name }) => name));
	for (const [kind, name] of names) {
		if (existing.has(name)) continue;
		existing.add(name);
		const more = kind.endsWith("log") ? [{ key: { contractAddress: 1 } }] : [];
		await db.collection(name).createIndexes([{ key: { [KEYS[kind]]: 1 }, unique: true }, ...more]);
	}
}

/** Each kind has its own collection; order is kept within it. */
function byKind(publications: readonly Publication[]): ReadonlyMap<EventKind, readonly Publication[]> {
	const found = new Map<EventKind, Publication[]>();
	for (const one of publications) {
		const some = found.get(one.message.kind) ?? [];
		some.push(one);
		found.set(one.message.kind, some);
	}
	return found;
}

type Write = AnyBulkWriteOperation<Document>;

function writesOf(kind: EventKind, publications: readonly Publication[], version: 1 | 2): readonly Write[] {
	return publications.map(({ message, id }): Write => {
		const { body } = message;
		if (kind === "contractevent" && body["removed"] === true) {
			return { deleteMany: { filter: { uniqueId: body["uniqueId"] } } };
		}
		const document = documentOf(body) as Document;
		if (version === 1) return { insertOne: { document: { _id: objectIdOf(message, id), ...document } } };
		const key = KEYS[kind];
		return { replaceOne: { filter: { [key]: document[key] }, replacement: document, upsert: true } };
	});
}

/** Ordered writes. A duplicate id means the message was written before: ids are unique per message. */
async function write(collection: Collection, writes: readonly Write[]): Promise<void> {
	for (let from = 0; from < writes.length; ) {
		try {
			await collection.bulkWrite(writes.slice(from), { ordered: true });
			return;
		} catch (error) {
			const { code, index } = failureOf(error);
			if (code === DUPLICATE_KEY && index !== undefined && isInsert(writes[from + index])) {
				from += index + 1;
				continue;
			}
			if (REFUSALS.has(code)) throw new RefusedError((error as Error).message);
			throw error;
		}
	}
}

const isInsert = (write: Write | undefined): boolean => write !== undefined && "insertOne" in write;

interface Failure {
	readonly code: unknown;
	/** Index of the failed write. */
	readonly index: number | undefined;
}

function failureOf(error: unknown): Failure {
	const { writeErrors, code } = error as {
		writeErrors?: unknown;
		code?: unknown;
	};
	const first = (Array.isArray(writeErrors) ? writeErrors[0] : writeErrors) as
		| { index?: number; code?: unknown }
		| undefined;
	return { code: first?.code ?? code, index: first?.index };
}

/** Block time in seconds, like a driver's ids, then a hash of the message id: stable on republication. */
function objectIdOf({ body }: EventMessage, id: string): ObjectId {
	const bytes = createHash("sha256").update(id).digest().subarray(0, 12);
	bytes.writeUInt32BE(Math.floor(Number(body["timeStamp"]) / 1000) >>> 0);
	return new ObjectId(bytes);
}

/** JSON as BSON: integers as Int32 where they fit, else as Int64. */
function documentOf(value: EventValue): unknown {
	if (typeof value === "bigint" || typeof value === "number") {
		const whole = BigInt(value);
		return BigInt.asIntN(32, whole) === whole ? new Int32(Number(whole)) : Long.fromBigInt(whole);
	}
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map(documentOf);
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => [memberName(name), documentOf(member)]),
	);
}

/** Parameter names may be anything, but servers reject some field names or treat them as operators. */
const memberName = (name: string): string =>
	name.replaceAll("\0", "").replaceAll(".", "\uff0e").replace(/^\$/, "\uff04");
