/** One block in many encodings, as it comes in through each way: Nile's nodes must all judge it alike. */

import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import { readTransactions } from "../../../src/node/network/peers/transactions.js";
import { decodeBlock } from "../../../src/node/network/wire/block-messages.js";
import { admissionOf } from "../../../src/node/rules/admission.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { concatBytes, toHex } from "../../../src/protocol/bytes.js";
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
import { forge, keyOfWitness, openSmall, produce, signed, smallConfig, users } from "./small-chain.js";

const ROUNDS = 24;
/** Numbers of fields. */
const ENTRY = { scheme: 1, publicKey: 2, signature: 3 } as const;
const ENTRY_OF_TRANSACTION = 6;
const ENTRY_OF_HEADER = 3;

const config = smallConfig("allowMultiSign = 1, allowMlDsa44 = 1, allowFnDsa512 = 1", "node.network = nile");
let chains: OpenChain[];

beforeAll(loadPostQuantum);
beforeEach(async () => {
	chains = await Promise.all([0, 1, 2].map(() => openSmall({ config })));
});
afterEach(() => Promise.all(chains.map((open) => open.close())));

const varint = (value: number, isLong = false): Uint8Array => {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
	if (isLong) bytes.push(rest | 0x80, 0);
	else bytes.push(rest);
	return Uint8Array.from(bytes);
};

/** Fields of one message, each with its tag. */
class Encoder {
	constructor(private readonly random: Randomness) {}

	private varint(value: number): Uint8Array {
		return varint(value, this.random.chance(0.2));
	}

	number(field: number, value: number): Uint8Array {
		return concatBytes(this.varint(field * 8), this.varint(value));
	}

	bytes(field: number, content: Uint8Array): Uint8Array {
		return concatBytes(this.varint(field * 8 + 2), this.varint(content.length), content);
	}

	/** In any order, those of one number as they stand. */
	message(fields: readonly (readonly Uint8Array[])[]): Uint8Array {
		const waiting = fields.map((line) => [...line]).filter((line) => line.length > 0);
		const out: Uint8Array[] = [];
		while (waiting.length > 0) {
			const at = this.random.below(waiting.length);
			const line = waiting[at] as Uint8Array[];
			out.push(line.shift() as Uint8Array);
			if (line.length === 0) waiting.splice(at, 1);
		}
		return concatBytes(...out);
	}

	/** The lines of a signature's members, some of them with values before that don't count. */
	private lines({ scheme, public_key, signature }: PQAuthSig): (readonly Uint8Array[])[] {
		const wrong = (make: () => Uint8Array): readonly Uint8Array[] =>
			this.random.chance(0.3) ? [make()] : [];
		return [
			[...wrong(() => this.number(ENTRY.scheme, this.random.below(3))), this.number(ENTRY.scheme, scheme)],
			...[[ENTRY.publicKey, public_key] as const, [ENTRY.signature, signature] as const].map(
				([field, value]) => [
					...wrong(() => this.bytes(field, this.random.bytes(7))),
					this.bytes(field, value),
				],
			),
		];
	}

	entry(entry: PQAuthSig): Uint8Array {
		return this.message(this.lines(entry));
	}

	/** The same in one occurrence or more, which merge. */
	occurrences(field: number, entry: PQAuthSig): readonly Uint8Array[] {
		return this.random.chance(0.5)
			? [this.bytes(field, this.entry(entry))]
			: this.lines(entry).flatMap((line) => line.map((one) => this.bytes(field, one)));
	}
}

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

/** A transfer of the account with both signatures, or one that is none of its keys'. */
function transfer(open: OpenChain, isGood: boolean): SignedTransaction {
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
	return new SignedTransaction(copy);
}

/** A transaction's bytes in some encoding. */
function encoded(encoder: Encoder, { message, postQuantum }: SignedTransaction): Uint8Array {
	const bare = Transaction.encode(Transaction.create({ raw_data: message.raw_data as never }));
	const entries = postQuantum.map((entry) => encoder.bytes(ENTRY_OF_TRANSACTION, encoder.entry(entry)));
	return encoder.message([[bare], entries]);
}

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

it("gives one outcome for all encodings of a block, whichever way it comes", () => {
	giveKeys();
	const random = new Randomness(7);
	const [first, second, third] = chains as [OpenChain, OpenChain, OpenChain];
	const outcomes = new Set<string>();
	for (let round = 0; round < ROUNDS; round++) {
		const { chain, rules } = first;
		const encoder = new Encoder(random);
		const isGood = random.chance(0.5);
		const sent = transfer(first, isGood);
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
		]);
		const bytes = encoder.message([[encoder.bytes(1, encoded(encoder, sent))], [encoder.bytes(2, header)]]);
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
});

it("takes a transaction into the pool in one form, whichever way it comes", () => {
	giveKeys();
	const random = new Randomness(8);
	const [first] = chains as [OpenChain];
	const { rules } = first;
	const sent = transfer(first, true);
	for (let round = 0; round < ROUNDS; round++) {
		const encoder = new Encoder(random);
		const bytes = encoded(encoder, sent);
		const world = {
			settings: { network: rules.network },
			chain: { filtersUnknownFields: false },
		} as unknown as Parameters<typeof readTransactions>[0];
		const [fromPeer] = readTransactions(world, encoder.bytes(1, bytes)) ?? [];
		expect(toHex(fromPeer?.bytes ?? new Uint8Array())).toBe(toHex(sent.bytes));
		const fromClient = admissionOf(rules).received(SignedTransaction.decode(bytes), rules.network);
		expect(toHex(fromClient.bytes)).toBe(toHex(sent.bytes));
	}
	// Not brought into that form before.
	const pushed = SignedTransaction.decode(encoded(new Encoder(random), sent));
	first.chain.pushTransaction(pushed);
	expect(toHex(first.chain.pool.find(sent.idHex)?.withResults([]).bytes ?? new Uint8Array())).toBe(
		toHex(sent.bytes),
	);
});
