/** One block in many encodings, as it comes in through each way: Nile's nodes must all judge it alike. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openDataDirectory } from "../../../src/node/chain/data-directory.js";
import { importBlocks } from "../../../src/node/chain/importer.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { MAX_BLOCK_BYTES } from "../../../src/node/consensus/block-judgement.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import { readTransactions } from "../../../src/node/network/peers/transactions.js";
import { decodeBlock } from "../../../src/node/network/wire/block-messages.js";
import { admissionOf } from "../../../src/node/rules/admission.js";
import { segmentsDirectory } from "../../../src/node/segments/segments.js";
import { createSnapshot } from "../../../src/node/snapshot/create.js";
import { manifestHash, parseManifest } from "../../../src/node/snapshot/manifest.js";
import { restoreSnapshot } from "../../../src/node/snapshot/restore.js";
import { openSource } from "../../../src/node/snapshot/source.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { BudgetError } from "../../../src/protocol/codec/reader.js";
import {
	AccountPermissionUpdateContract,
	BlockHeaderRaw,
	Key,
	Permission,
	PermissionPermissionType,
	PQAuthSig,
	Transaction,
	TransferContract,
} from "../../../src/protocol/messages.js";
import {
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../../../src/protocol/post-quantum/algorithms.js";
import { transactionFieldsOf } from "../../../src/protocol/post-quantum/fields.js";
import { addressOfPostQuantumKey, ML_DSA_44 } from "../../../src/protocol/post-quantum/schemes.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { Randomness } from "../../simulation/randomness.js";
import { Encoder } from "./encoder.js";
import {
	balance,
	forge,
	keyOfWitness,
	openSmall,
	produce,
	signed,
	smallConfig,
	users,
} from "./small-chain.js";

const ROUNDS = 24;
/** Numbers of fields: of signatures, and one that no network knows. */
const ENTRY_OF_TRANSACTION = 6;
const ENTRY_OF_HEADER = 3;
const UNKNOWN = 99;

const config = smallConfig("allowMultiSign = 1, allowMlDsa44 = 1, allowFnDsa512 = 1", "node.network = nile");
let chains: OpenChain[];
/** Where the first of them lies. */
let directory: string;

beforeAll(loadPostQuantum);
beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-encodings-"));
	const places = [join(directory, "first"), undefined, undefined];
	chains = await Promise.all(places.map((dataDirectory) => openSmall({ config, dataDirectory })));
});
afterEach(async () => {
	await Promise.all(chains.map((open) => open.close()));
	rmSync(directory, { recursive: true, force: true });
});

const made = new Map<number, PostQuantumKeys>();
function keysOf(seed: number): PostQuantumKeys {
	const keys = made.get(seed) ?? postQuantumAlgorithm(ML_DSA_44).keysOfSeed(new Uint8Array(32).fill(seed));
	made.set(seed, keys);
	return keys;
}
const SEEDS = [1, 2];

const entryBy = (message: Uint8Array, { publicKey, privateKey } = keysOf(1)): PQAuthSig =>
	PQAuthSig.create({
		scheme: ML_DSA_44.id,
		public_key: publicKey,
		signature: postQuantumAlgorithm(ML_DSA_44).sign(message, privateKey),
	});

/** A block on all chains gives the first user's account two post-quantum keys. */
function giveKeys(): void {
	const [first, ...others] = chains as [OpenChain, ...OpenChain[]];
	const owned = SEEDS.map((seed) =>
		Key.create({ address: addressOfPostQuantumKey(keysOf(seed).publicKey), weight: 1n }),
	);
	const active = Permission.create({
		type: PermissionPermissionType.Active,
		permission_name: "active",
		threshold: 1n,
		operations: Uint8Array.of(2, ...new Uint8Array(31)),
		keys: [Key.create({ address: users[0] as Uint8Array, weight: 1n })],
	});
	const parameter = AccountPermissionUpdateContract.create({
		owner_address: users[0] as Uint8Array,
		owner: Permission.create({ permission_name: "owner", threshold: 2n, keys: owned }),
		actives: [active],
	});
	const blocks = [produce(first)];
	first.chain.pushTransaction(signed(first, 0, "AccountPermissionUpdateContract", parameter));
	blocks.push(produce(first));
	expect(blocks[1]?.transactions).toHaveLength(1);
	for (const open of others) for (const block of blocks) open.chain.push(block, "peer");
}

/**
 * A transfer of the account with both signatures, or ones that are none of its keys'.
 * @param unknown fields that no network knows, behind them
 */
function transfer(
	open: OpenChain,
	isGood: boolean,
	unknown: Uint8Array = new Uint8Array(),
): SignedTransaction {
	const parameter = TransferContract.create({
		owner_address: users[0] as Uint8Array,
		to_address: users[1] as Uint8Array,
		amount: 1n,
	});
	const { message, id } = signed(open, 0, "TransferContract", parameter);
	const copy = Transaction.create({ ...message, signature: [] });
	copy.$unknown = transactionFieldsOf(
		SEEDS.map((seed) => entryBy(isGood ? id : new Uint8Array(32), keysOf(seed))),
	);
	copy.$unknown?.append(unknown, 0, unknown.length);
	return new SignedTransaction(copy);
}

/** A transaction's bytes in some encoding. */
function encoded(
	encoder: Encoder,
	{ message, postQuantum }: SignedTransaction,
	unknown: Uint8Array = new Uint8Array(),
): Uint8Array {
	const bare = Transaction.encode(Transaction.create({ raw_data: message.raw_data as never }));
	const entries = postQuantum.map((entry) => encoder.bytes(ENTRY_OF_TRANSACTION, encoder.entry(entry)));
	return encoder.message([[bare], entries, [unknown]]);
}

/** Nothing, or a field that no network knows, in its shortest form. */
const strange = (random: Randomness, isThere = random.chance(0.3)): Uint8Array =>
	isThere ? concatBytes(Uint8Array.of(0x9a, 0x06, 5), random.bytes(5)) : new Uint8Array();

/** What happened to the block, and in which form it is kept. */
function outcomeOf(open: OpenChain, push: () => unknown): string {
	const before = open.chain.head.idHex;
	try {
		push();
	} catch (error) {
		return `${(error as Error).name}: ${(error as Error).message}`;
	}
	return open.chain.head.idHex === before ? "not taken" : toHex(open.chain.head.bytes);
}

it("gives one outcome for all encodings of a block, whichever way it comes", async () => {
	giveKeys();
	const random = new Randomness(7);
	const [first, second, third] = chains as [OpenChain, OpenChain, OpenChain];
	const outcomes = new Set<string>();
	for (let round = 0; round < ROUNDS; round++) {
		const { chain, rules } = first;
		const encoder = new Encoder(random);
		const isGood = random.chance(0.5);
		const unknown = strange(random);
		const sent = transfer(first, isGood, unknown);
		const witness = scheduledWitness(chain.state, 1n);
		const timestampMs = slotTimeMs(chain.state, 1n);
		const sealed = forge(chain.head, timestampMs, {
			witness,
			key: keyOfWitness(witness),
			transactions: [sent],
		});
		const headerHas = random.pick(["recoverable", "recoverable", "recoverable", "post-quantum", "both"]);
		const header = encoder.message([
			[encoder.bytes(1, BlockHeaderRaw.encode(sealed.raw))],
			headerHas === "post-quantum" ? [] : [encoder.bytes(2, sealed.header.witness_signature)],
			headerHas === "recoverable" ? [] : encoder.occurrences(ENTRY_OF_HEADER, entryBy(sealed.rawHash)),
			[strange(random)],
		]);
		const bytes = encoder.message([
			[encoder.bytes(1, encoded(encoder, sent, unknown))],
			[encoder.bytes(2, header)],
			[strange(random)],
		]);
		const peers = new NodeChain({ open: first, pool: undefined, report: () => {} });
		const fromPeer = outcomeOf(first, () => {
			const block = admissionOf(rules).received(decodeBlock(bytes), rules.network);
			const verdict = peers.announcedHeader(block);
			if ("error" in verdict) throw verdict.error;
			chain.push(block, "peer");
		});
		peers.close();
		const fromFile = outcomeOf(second, () => second.chain.push(SignedBlock.decode(bytes), "import"));
		const fromWhole = outcomeOf(third, () => third.chain.push(decodeBlock(bytes), "peer"));
		expect([fromFile, fromWhole], `round ${round}`).toEqual([fromPeer, fromPeer]);
		const canonical = SignedBlock.decode(bytes).asReadOnNile();
		expect(SignedBlock.decode(canonical.bytes).asReadOnNile().bytes).toEqual(canonical.bytes);
		expect(toHex((canonical.transactions[0] as SignedTransaction).bytes)).toBe(toHex(sent.bytes));
		outcomes.add(fromPeer.replace(/^[0-9a-f]{40,}$/, "taken"));
		if (isGood && headerHas === "recoverable") expect(fromPeer).toBe(toHex(sealed.bytes));
	}
	expect([...outcomes].sort()).toEqual([
		"BlockSignatureError: pq_auth_sig public key does not match witness permission address",
		"BlockSignatureError: witness_signature and pq_auth_sig are mutually exclusive",
		"ValidateSignatureError: pq sig invalid",
		"taken",
	]);
	await expectKept(first);
});

/** Each block in the form in which it was taken, wherever it is read, restored or executed once more. */
async function expectKept(open: OpenChain): Promise<void> {
	// So that the blocks become final.
	for (let more = 0; more < 8; more++) produce(open);
	const height = open.chain.head.number;
	const blocksOf = ({ chain }: OpenChain, from = 1n) =>
		Array.from({ length: Number(height - from) + 1 }, (_, at) =>
			toHex(chain.blockByNumber(from + BigInt(at))?.bytes ?? new Uint8Array()),
		);
	const taken = blocksOf(open);
	const balances = users.map((address) => balance(open, address));
	const expectSame = (other: OpenChain, up = height): void => {
		expect(other.chain.head.number).toBe(up);
		expect(blocksOf(other).slice(0, Number(up))).toEqual(taken.slice(0, Number(up)));
		if (up === height) expect(users.map((address) => balance(other, address))).toEqual(balances);
	};

	const replayed = await openSmall({ config });
	for (const bytes of taken) replayed.chain.push(SignedBlock.decode(Buffer.from(bytes, "hex")), "restored");
	expectSame(replayed);
	await replayed.close();

	await open.flushNow();
	await snapshotOf(open, join(directory, "snapshot"));
	chains.splice(chains.indexOf(open), 1);
	await open.close();
	const again = await openSmall({ config, dataDirectory: join(directory, "first") });
	expectSame(again);
	await again.close();

	const restored = await restoredFrom(join(directory, "snapshot"));
	const { number } = restored.chain.head;
	expect(number).toBeGreaterThan(height - 8n);
	expectSame(restored, number);
	for (const bytes of taken.slice(Number(number)))
		restored.chain.push(SignedBlock.decode(Buffer.from(bytes, "hex")), "peer");
	expectSame(restored);
	await restored.close();
}

async function snapshotOf(open: OpenChain, target: string): Promise<void> {
	await createSnapshot(
		{
			entries: () => open.oldBlocks?.storedEntries() as AsyncIterable<readonly [Uint8Array, Uint8Array]>,
			segmentsDirectory: segmentsDirectory(join(directory, "first")),
			genesisId: toHex(open.rules.genesisId),
		},
		target,
		{ program: "", nowMs: 0, onProgress: () => true },
	);
}

async function restoredFrom(snapshot: string): Promise<OpenChain> {
	const bytes = readFileSync(join(snapshot, "manifest.json"));
	const dataDirectory = join(directory, "restored");
	const database = await openDataDirectory(dataDirectory, "database");
	const source = openSource(snapshot, {
		fetch: () => Promise.reject(new Error("no network here")),
		pause: () => Promise.resolve(),
	});
	const options = { config, dataDirectory, onProgress: () => true, parallel: 1 };
	await restoreSnapshot(source, parseManifest(bytes), manifestHash(bytes), database, options);
	await database.close();
	return openSmall({ config, dataDirectory });
}

it("bounds the bytes that a block may come in, from a file as from a peer", async () => {
	const [first, second, third] = chains as [OpenChain, OpenChain, OpenChain];
	const made = produce(third);
	const encoder = new Encoder(new Randomness(9));
	const filled = (bytes: number) => concatBytes(made.bytes, encoder.bytes(UNKNOWN, new Uint8Array(bytes)));
	const fits = filled(MAX_BLOCK_BYTES - made.bytes.length - 10);
	expect(fits.length).toBeLessThanOrEqual(MAX_BLOCK_BYTES);
	const tooLarge = filled(MAX_BLOCK_BYTES);
	expect(() => decodeBlock(tooLarge)).toThrow(BudgetError);
	await expect(importBlocks({ open: second, pool: undefined }, [tooLarge])).rejects.toThrow(BudgetError);
	first.chain.push(admissionOf(first.rules).received(decodeBlock(fits), "nile"), "peer");
	await importBlocks({ open: second, pool: undefined }, [fits]);
	expect(toHex(first.chain.head.bytes)).toBe(toHex(made.bytes));
	expect(toHex(second.chain.head.bytes)).toBe(toHex(made.bytes));
});

it("takes a transaction into the pool in one form, whichever way it comes", () => {
	giveKeys();
	const random = new Randomness(8);
	const [first] = chains as [OpenChain];
	const { rules } = first;
	const sent = transfer(first, true);
	for (let round = 0; round < ROUNDS; round++) {
		const encoder = new Encoder(random);
		const bytes = encoded(encoder, sent, strange(random));
		const world = {
			settings: { network: rules.network },
			chain: { filtersUnknownFields: false },
		} as unknown as Parameters<typeof readTransactions>[0];
		const [fromPeer] = readTransactions(world, encoder.bytes(1, bytes)) ?? [];
		expect(toHex(fromPeer?.withoutUnknownFields(true).bytes ?? new Uint8Array())).toBe(toHex(sent.bytes));
		const fromClient = admissionOf(rules).received(SignedTransaction.decode(bytes), rules.network);
		expect(toHex(fromClient.bytes)).toBe(toHex(sent.bytes));
	}
	// Not brought into that form before.
	const pushed = SignedTransaction.decode(encoded(new Encoder(random), sent, strange(random, true)));
	first.chain.pushTransaction(pushed);
	expect(toHex(first.chain.pool.find(sent.idHex)?.withResults([]).bytes ?? new Uint8Array())).toBe(
		toHex(sent.bytes),
	);
});
