import {
	copyFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDataDirectory } from "../../../src/node/chain/data-directory.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { segmentsDirectory } from "../../../src/node/segments/segments.js";
import { verifySnapshot } from "../../../src/node/snapshot/chunk-reader.js";
import { createSnapshot } from "../../../src/node/snapshot/create.js";
import {
	type Manifest,
	manifestHash,
	parseManifest,
	SnapshotError,
} from "../../../src/node/snapshot/manifest.js";
import { type RestoreOptions, restoreSnapshot } from "../../../src/node/snapshot/restore.js";
import { openSource, type SnapshotSource } from "../../../src/node/snapshot/source.js";
import type { KeyValueDatabase } from "../../../src/node/state/database.js";
import { hashDatabase } from "../../../src/node/state/state-hash/hash-database.js";
import { readSums } from "../../../src/node/state/state-hash/kept-hashes.js";
import { be64, toHex } from "../../../src/protocol/bytes.js";
import { openSmall, produce, produceMany, smallConfig, transfer, users } from "../chain/small-chain.js";

const moverLimits = { kept: 3, blocks: 4, bytes: 1 << 20, groupBytes: 400 };
const nowhere = {
	fetch: (): Promise<Response> => Promise.reject(new Error("no network here")),
	pause: (): Promise<void> => Promise.resolve(),
};

let root: string;
/** A snapshot that tests read, and the chain that it was made of. */
let snapshot: string;
let original: OpenChain;
let manifest: Manifest;
let before: unknown[];

beforeAll(async () => {
	root = mkdtempSync(join(tmpdir(), "coin-snapshot-"));
	snapshot = join(root, "snapshot");
	original = await openSmall({ dataDirectory: join(root, "original"), moverLimits });
	for (let at = 0; at < 25; at++) {
		original.chain.pushTransaction(transfer(original, 0, users[1] as Uint8Array, BigInt(at + 1)));
		produce(original);
	}
	await original.flushNow();
	await original.oldBlocks?.moving;
	manifest = (await create(original, snapshot)) as Manifest;
	before = history(original, manifest.head.number);
});
afterAll(async () => {
	await original.close();
	rmSync(root, { recursive: true, force: true });
});

let work: string;
beforeEach(() => {
	work = mkdtempSync(join(root, "work-"));
});
afterEach(() => {
	rmSync(work, { recursive: true, force: true });
});

function create(
	open: OpenChain,
	target: string,
	goOn = true,
	directory = join(root, "original"),
): Promise<Manifest | undefined> {
	return createSnapshot(
		{
			entries: () => open.oldBlocks?.storedEntries() as AsyncIterable<readonly [Uint8Array, Uint8Array]>,
			segmentsDirectory: segmentsDirectory(directory),
			genesisId: toHex(open.rules.genesisId),
		},
		target,
		{ program: "coin test", nowMs: 1_700_000_000_000, onProgress: () => goOn, chunkBytes: 4_000 },
	);
}

function history({ chain }: OpenChain, head: number): unknown[] {
	return Array.from({ length: head + 1 }, (_, at) => {
		const block = chain.blockByNumber(BigInt(at));
		const infos = chain.state.transactionResult.get(be64(BigInt(at)))?.transactioninfo;
		return block && [block.idHex, toHex(block.bytes), infos?.map(({ id }) => toHex(id))];
	});
}

interface Restoring extends Pick<RestoreOptions, "markBytes"> {
	readonly source?: SnapshotSource;
	readonly from?: string;
	readonly onProgress?: RestoreOptions["onProgress"];
	/** Around the database, to make it fail. */
	readonly wrap?: (database: KeyValueDatabase) => KeyValueDatabase;
}

/** @returns what was checked; undefined if it was stopped */
async function restore({
	source,
	from = snapshot,
	onProgress = () => true,
	wrap = (own) => own,
	...marks
}: Restoring = {}) {
	const bytes = readFileSync(join(from, "manifest.json"));
	const dataDirectory = join(work, "data");
	const database = await openDataDirectory(dataDirectory, "database");
	try {
		return await restoreSnapshot(
			source ?? openSource(from, nowhere),
			parseManifest(bytes),
			manifestHash(bytes),
			wrap(database),
			{ config: smallConfig(), dataDirectory, onProgress, parallel: 3, ...marks },
		);
	} finally {
		await database.close();
	}
}

async function expectRestored(): Promise<void> {
	const open = await openSmall({ dataDirectory: join(work, "data"), moverLimits });
	expect(open.chain.head.idHex).toBe(manifest.head.id);
	expect(history(open, manifest.head.number)).toEqual(before);
	// It goes on with the blocks that came after the snapshot.
	for (let number = manifest.head.number + 1; number <= Number(original.chain.head.number); number++) {
		open.chain.push(original.chain.blockByNumber(BigInt(number)) as never, "peer");
	}
	expect(open.chain.head.idHex).toBe(original.chain.head.idHex);
	produceMany(open, 2);
	await open.close();
}

function tampered(change: (bytes: Buffer) => Buffer, name: string): string {
	const copy = join(work, "snapshot");
	rmSync(copy, { recursive: true, force: true });
	cpSync(snapshot, copy, { recursive: true });
	writeFileSync(join(copy, name), change(readFileSync(join(copy, name))));
	return copy;
}

test("a snapshot has chunks, segments and the head of the base", () => {
	expect(manifest.chunks.length).toBeGreaterThan(3);
	expect(manifest.segments.length).toBeGreaterThan(2);
	expect(manifest.lowest).toBe(1);
	expect(manifest.head.number).toBeGreaterThan(15);
	expect(readdirSync(snapshot).sort()).toEqual(["chunks", "manifest.json", "segments"]);
});

test("a node goes on from a restored snapshot with the following blocks", async () => {
	const checks = await restore();
	expect(checks?.blocks).toBe(manifest.head.number);
	await expectRestored();
});

test("a snapshot of a running chain is of one moment", async () => {
	const target = join(work, "running");
	const subject = {
		entries: async function* () {
			for await (const entry of original.oldBlocks?.storedEntries() ?? []) {
				// The state changes and is written while the entries are read.
				if (produced < 6) {
					produced++;
					original.chain.pushTransaction(transfer(original, 0, users[2] as Uint8Array, 5n));
					produce(original);
					await original.flushNow();
				}
				yield entry;
			}
		},
		segmentsDirectory: segmentsDirectory(join(root, "original")),
		genesisId: manifest.genesisId,
	};
	let produced = 0;
	await createSnapshot(subject, target, { program: "", nowMs: 0, onProgress: () => true, chunkBytes: 4_000 });
	expect(await restore({ from: target })).toBeDefined();
	const made = parseManifest(readFileSync(join(target, "manifest.json")));
	const open = await openSmall({ dataDirectory: join(work, "data"), moverLimits });
	expect(open.chain.head.idHex).toBe(made.head.id);
	expect(Number(original.chain.head.number)).toBeGreaterThan(made.head.number + 5);
	await open.close();
});

test("what hasn't changed is the same file in the next snapshot of the chain", async () => {
	const open = await openSmall({ dataDirectory: join(work, "data"), moverLimits });
	produceMany(open, 300);
	await open.flushNow();
	await open.oldBlocks?.moving;
	const hashes = async (name: string): Promise<string[]> => {
		const made = (await create(open, join(work, name), true, join(work, "data"))) as Manifest;
		return [...made.chunks, ...made.segments].map(({ sha256 }) => sha256);
	};
	const before = new Set(await hashes("first"));
	open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 1n));
	produceMany(open, 3);
	await open.flushNow();
	await open.oldBlocks?.moving;
	const after = await hashes("second");
	await open.close();
	const anew = after.filter((hash) => !before.has(hash));
	expect(anew.length).toBeLessThan(after.length / 4);
});

test("a target that is there is not overwritten, and one that was given up is gone", async () => {
	await expect(create(original, snapshot)).rejects.toThrow("exists already");
	const target = join(work, "given-up");
	expect(await create(original, target, false)).toBeUndefined();
	expect(readdirSync(work)).toEqual([]);
});

test("stopped or killed after any chunk, a second run goes on from there", async () => {
	for (let stop = 1; ; stop++) {
		rmSync(join(work, "data"), { recursive: true, force: true });
		let left = stop;
		const outcome = await restore({ onProgress: () => --left > 0 });
		if (outcome) break;
		await expect(openSmall({ dataDirectory: join(work, "data") })).rejects.toThrow(
			"run the same coin node snapshot restore again",
		);
		const read: string[] = [];
		const folder = openSource(snapshot, nowhere);
		const counted: SnapshotSource = {
			...folder,
			read: (name, from) => {
				read.push(name);
				return folder.read(name, from);
			},
			again: async () => false,
		};
		expect(await restore({ source: counted })).toBeDefined();
		expect(read).not.toContain(manifest.chunks[Math.min(stop, manifest.chunks.length) - 1]?.name);
	}
	await expectRestored();
});

test.each([
	["once, as a full disk that has room again", { isBack: true }],
	["once, with a mark for each chunk", { isBack: true, markBytes: 1 }],
	["from then on, as if it was killed", { isBack: false }],
	["from then on, with a mark for each chunk", { isBack: false, markBytes: 1 }],
])(
	"a database that fails at any write leaves what the same command goes on with: %s",
	async (_, { isBack, ...marks }) => {
		let writes = 0;
		await restore({
			...marks,
			wrap: (own) => ({
				...bound(own),
				write: async (changes, sync) => {
					writes++;
					await own.write(changes, sync);
				},
			}),
		});
		for (let fail = 0; fail < writes; fail++) {
			rmSync(join(work, "data"), { recursive: true, force: true });
			let at = 0;
			const failing = (own: KeyValueDatabase): KeyValueDatabase => ({
				...bound(own),
				write: async (changes, sync) => {
					const number = at++;
					if (isBack ? number === fail : number >= fail) throw new Error("killed");
					await own.write(changes, sync);
				},
			});
			await expect(restore({ wrap: failing, ...marks })).rejects.toThrow("killed");
			expect(await restore(marks)).toBeDefined();
		}
		await expectRestored();
	},
);

const bound = (own: KeyValueDatabase): KeyValueDatabase => ({
	get: (key) => own.get(key),
	write: (changes, sync) => own.write(changes, sync),
	entries: (prefix) => own.entries(prefix),
	firstKey: (from, end) => own.firstKey(from, end),
	close: () => own.close(),
});

test("another snapshot doesn't go on with what was begun, and no chain is overwritten", async () => {
	let left = 2;
	expect(await restore({ onProgress: () => --left > 0 })).toBeUndefined();
	const other = tampered(
		(bytes) => Buffer.from(bytes.toString().replace("coin test", "coin other")),
		"manifest.json",
	);
	await expect(restore({ from: other })).rejects.toThrow("was begun from another snapshot");
	expect(await restore()).toBeDefined();
});

test("a snapshot of another chain is refused before anything is written", async () => {
	const other = tampered(
		(bytes) => Buffer.from(bytes.toString().replace(manifest.genesisId, "ab".repeat(32))),
		"manifest.json",
	);
	await expect(restore({ from: other })).rejects.toThrow("the snapshot is of another chain");
	const open = await openSmall({ dataDirectory: join(work, "data") });
	expect(open.chain.head.number).toBe(0n);
	await open.close();
});

test("entries that end at another block than the manifest says are refused", async () => {
	const id = `${manifest.head.id.slice(0, 62)}00`;
	const other = tampered(
		(bytes) => Buffer.from(bytes.toString().replace(manifest.head.id, id)),
		"manifest.json",
	);
	await expect(restore({ from: other })).rejects.toThrow(`its manifest says ${manifest.head.number} (${id})`);
	await expect(openSmall({ dataDirectory: join(work, "data") })).rejects.toThrow("is not complete");
});

describe("damage", () => {
	const sourceOf = (bytes: Buffer): SnapshotSource => ({
		read: async function* () {
			yield bytes;
		},
		again: async () => false,
	});
	const verify = async (from: string): Promise<boolean> => {
		const bytes = readFileSync(join(from, "manifest.json"));
		return verifySnapshot(openSource(from, nowhere), parseManifest(bytes), 2, () => true);
	};

	test("of a byte of a chunk or a segment, and any length but its own, is noticed by its name", async () => {
		expect(await verify(snapshot)).toBe(true);
		const [chunk, segment] = [manifest.chunks.at(-1), manifest.segments[1]];
		for (const { name, bytes } of [chunk, segment].filter((file) => file !== undefined)) {
			const whole = readFileSync(join(snapshot, name));
			// A part of the snapshot is not the state that the whole one is.
			const { stateHash: _, ...rest } = manifest;
			const only: Manifest = {
				...rest,
				chunks: manifest.chunks.filter((file) => file.name === name),
				segments: manifest.segments.filter((file) => file.name === name),
			};
			const refusal = (given: Buffer): Promise<unknown> =>
				verifySnapshot(sourceOf(given), only, 1, () => true).catch((error: unknown) => error);
			expect(await refusal(whole)).toBe(true);
			const missed: number[] = [];
			// Both ends whole, where the formats of the parts begin and end, and a sample of what lies between.
			const isEnd = (at: number): boolean => at < 128 || at >= bytes - 128;
			for (let at = 0; at < bytes; at += isEnd(at) ? 1 : 17) {
				const damaged = Buffer.from(whole);
				damaged[at] = (damaged[at] as number) ^ 0x10;
				const text = String(await refusal(damaged));
				if (!text.endsWith(`${name} of the snapshot is not what its manifest says`)) missed.push(at);
			}
			expect(missed).toEqual([]);
			for (const length of [0, 1, bytes - 1]) {
				expect(await refusal(whole.subarray(0, length))).toBeInstanceOf(SnapshotError);
			}
			expect(await refusal(Buffer.concat([whole, Buffer.alloc(1)]))).toEqual(
				new SnapshotError(`${name} of the snapshot is longer than it may be`),
			);
		}
	});

	test("a file that is missing is named", async () => {
		const copy = tampered((own) => own, "manifest.json");
		const path = join(copy, manifest.chunks[1]?.name as string);
		rmSync(path);
		await expect(verify(copy)).rejects.toThrow(`${path} of the snapshot is missing`);
	});

	test("stops a restore, which goes on when the file is whole again", async () => {
		const name = manifest.segments[0]?.name as string;
		const copy = tampered((bytes) => bytes.subarray(1), name);
		await expect(restore({ from: copy })).rejects.toThrow(
			`${name} of the snapshot is not what its manifest says`,
		);
		expect(existsSync(join(work, "data", name))).toBe(false);
		copyFileSync(join(snapshot, name), join(copy, name));
		expect(await restore({ from: copy })).toBeDefined();
		await expectRestored();
	});
});

describe("the hash of the state", () => {
	test("is in the manifest, of what the directory holds, and the restored directory goes on with it", async () => {
		await restore();
		const database = await openDataDirectory(join(work, "data"), "database");
		const state = await hashDatabase(database, () => true, 0);
		const { hash, entries } = state?.value() ?? {};
		expect(manifest.stateHash).toEqual({ version: 1, hash: toHex(hash as Uint8Array), entries });
		const stored = readSums(database);
		expect(stored?.number).toBe(BigInt(manifest.head.number));
		expect(Buffer.from(stored?.sums ?? [])).toEqual(Buffer.from(state?.sums() ?? []));
		await database.close();
	});

	test("is compared by check and restore, whole or gone on with", async () => {
		const other = tampered((bytes) => {
			const said = JSON.parse(bytes.toString()) as { stateHash: { hash: string } };
			said.stateHash.hash = "00".repeat(32);
			return Buffer.from(JSON.stringify(said));
		}, "manifest.json");
		const source = openSource(other, nowhere);
		const said = parseManifest(readFileSync(join(other, "manifest.json")));
		await expect(verifySnapshot(source, said, 2, () => true)).rejects.toThrow("its manifest says 0000");
		let chunks = 0;
		expect(await restore({ from: other, onProgress: () => ++chunks < 3 })).toBeUndefined();
		await expect(restore({ from: other })).rejects.toThrow("its manifest says 0000");
		await expect(restore({ from: other })).rejects.toThrow("its manifest says 0000");
	});
});
