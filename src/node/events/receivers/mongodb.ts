/** MongoDB as a receiver: documents as the network's plugin writes them (protocol/events §7.5). Loaded only where it is configured. */

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
	/** SCRAM-SHA-1; undefined: none. */
	readonly login: ReceiverLogin | undefined;
	/** 1: documents are inserted; 2: they replace those of the same key. */
	readonly version: 1 | 2;
	/** The collection of each kind that is published. */
	readonly names: ReadonlyMap<EventKind, string>;
}

const SOCKET_MS = 30_000;
const CONNECTIONS = 8;
const DUPLICATE_KEY = 11_000;
/** A value, a name of a member or a length that the server will never take. */
const REFUSALS: ReadonlySet<unknown> = new Set([2, 9, 22, 52, 57, 10_334, 17_280, 17_419, 17_420]);

/** The member that no two documents of a collection share, with version 2. */
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
 * @param password undefined: nobody logs in
 * @param clientOf makes the client
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

/** Those that aren't there, with their indexes; an existing one gets none. */
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

/** Each kind has a collection; within it the order is kept. */
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

/** In order. What is there already was published before: it has the id that only this message has. */
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
	/** Of the write that failed. */
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

/** Seconds of the block, as in ids that a driver makes, then what is of this message alone: published again it is the same. */
function objectIdOf({ body }: EventMessage, id: string): ObjectId {
	const bytes = createHash("sha256").update(id).digest().subarray(0, 12);
	bytes.writeUInt32BE(Math.floor(Number(body["timeStamp"]) / 1000) >>> 0);
	return new ObjectId(bytes);
}

/** The JSON with whole numbers of 32 bits where they are enough, else of 64. */
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

/** Names of parameters may be anything, members of documents not: servers refuse some, or take them for operators. */
const memberName = (name: string): string =>
	name.replaceAll("\0", "").replaceAll(".", "\uff0e").replace(/^\$/, "\uff04");
