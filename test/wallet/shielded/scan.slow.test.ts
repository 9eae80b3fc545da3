import { blake2b } from "@noble/hashes/blake2.js";
import { describe, expect, it } from "vitest";
import { concatBytes, EMPTY, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { IncrementalMerkleTree } from "../../../src/protocol/messages.js";
import type { NoteToSend } from "../../../src/protocol/sapling/descriptions.js";
import {
	appendLeaf,
	EMPTY_NOTE_TREE,
	type NoteVoucher,
	treeRoot,
	voucherPath,
	voucherRoot,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { addressOfKeys, type ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";
import { noteCommitment } from "../../../src/protocol/sapling/note.js";
import { agreeOnKey, ephemeralKey, openNote, seal } from "../../../src/protocol/sapling/note-encryption.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { HoldingsReader } from "../../../src/wallet/shielded/holdings.js";
import { judgeNotes } from "../../../src/wallet/shielded/note-state.js";
import { outgoingNote } from "../../../src/wallet/shielded/payment.js";
import type { Pool } from "../../../src/wallet/shielded/pool.js";
import { memoryStore, type ScanResult, type ScanStore, scanPool } from "../../../src/wallet/shielded/scan.js";
import { FakeNode, poolTransaction } from "./fake-node.js";
import { keysNumbered } from "./keys.js";
import { seededRandom } from "./simulated-prover.js";

const [ann, bob] = [keysNumbered(1), keysNumbered(2)];
const random = seededRandom("scan");
const pool: Pool = { kind: "native", tokenId: "000000" };

const noteTo = (keys: ShieldedKeys, value: bigint): NoteToSend =>
	outgoingNote(addressOfKeys(keys), value, EMPTY, random);

interface Reading {
	readonly rewinds: bigint[];
	read(since?: bigint): Promise<ScanResult>;
}

function reading(client: FakeNode, store: ScanStore = memoryStore(), keys = ann): Reading {
	const rewinds: bigint[] = [];
	return {
		rewinds,
		read: (since) =>
			scanPool({ client, pool, keys, store, since, onRewind: (block) => rewinds.push(block), now: () => 0 }),
	};
}

/** Spends a note of a reading. */
async function spending({ holdings }: ScanResult, place: number, outputs: readonly NoteToSend[]) {
	const held = holdings.received[place];
	const voucher = held?.voucher as NoteVoucher;
	const alpha = new Uint8Array(32).fill(1, 0, 1);
	const spend = {
		note: (held as { note: NoteToSend["note"] }).note,
		alpha,
		anchor: voucherRoot(voucher),
		path: voucherPath(voucher),
	};
	return await poolTransaction(outputs, [spend], ann);
}

describe("reading the chain's own pool", () => {
	it("finds notes, follows the tree, and sees what is spent and sent", async () => {
		const node = new FakeNode();
		const { read } = reading(node);
		node.add([await poolTransaction([noteTo(ann, 5n), noteTo(bob, 6n)])]);
		node.add([await poolTransaction([noteTo(bob, 7n), noteTo(ann, 8n)])]);
		const first = await read();
		expect(first.holdings.received.map(({ note, position }) => [note.value, position])).toEqual([
			[5n, 0n],
			[8n, 3n],
		]);
		expect(judgeNotes(first).map(({ state }) => state)).toEqual(["unspent", "unspent"]);
		const spent = await spending(first, 0, [noteTo(bob, 2n), noteTo(ann, 3n)]);
		node.add([spent]);
		const second = await read();
		expect(judgeNotes(second).map(({ state }) => state)).toEqual(["spent", "unspent", "unspent"]);
		expect(second.holdings.sent).toMatchObject([{ note: { value: 2n }, txID: spent.idHex }]);
		const { tree, received } = second.holdings;
		expect(toHex(voucherRoot(received[1]?.voucher as NoteVoucher))).toBe(
			toHex(treeRoot(tree ?? EMPTY_NOTE_TREE)),
		);
	});

	it("keeps what is irreversible, and reads what may be replaced each time", async () => {
		const node = new FakeNode();
		const store = memoryStore();
		const { read, rewinds } = reading(node, store);
		node.loose = 2;
		for (let i = 0; i < 5; i++) node.add();
		node.add([await poolTransaction([noteTo(ann, 5n)])]);
		expect(judgeNotes(await read())).toMatchObject([{ state: "unconfirmed" }]);
		expect((await store.load())?.holdings).toMatchObject({ through: 4n, received: [] });
		node.blocks.pop();
		node.add([], "other");
		expect((await read()).holdings.received).toEqual([]);
		node.add([await poolTransaction([noteTo(ann, 6n)])], "other");
		node.add();
		node.add();
		expect(judgeNotes(await read())).toMatchObject([{ held: { note: { value: 6n } }, state: "unspent" }]);
		expect(rewinds).toEqual([]);
	});

	it("reads nothing twice that it has kept", async () => {
		const node = new FakeNode();
		const { read } = reading(node);
		for (let i = 0; i < 150; i++) node.add();
		await read();
		node.asked.length = 0;
		node.add();
		await read();
		expect(node.asked.filter((endpoint) => endpoint === "getblockbylimitnext")).toHaveLength(1);
	});

	it("goes back to the newest kept block of the same chain when a chain was set back", async () => {
		const node = new FakeNode();
		const store = memoryStore();
		const { read, rewinds } = reading(node, store);
		node.add([await poolTransaction([noteTo(ann, 5n)])]);
		for (let i = 0; i < 40; i++) node.add();
		await read();
		const kept = (await store.load())?.holdings.through;
		for (let i = 0; i < 10; i++) node.add();
		node.add([await poolTransaction([noteTo(ann, 6n)])]);
		for (let i = 0; i < 30; i++) node.add();
		expect((await read()).holdings.received).toHaveLength(2);
		node.blocks.length = Number(kept) + 5;
		node.add([], "other");
		const { holdings } = await read();
		expect(rewinds).toEqual([kept]);
		expect(holdings.received.map(({ note }) => note.value)).toEqual([5n]);
	});

	it("begins anew on another chain", async () => {
		const store = memoryStore();
		const first = new FakeNode();
		first.add([await poolTransaction([noteTo(ann, 5n)])]);
		expect((await reading(first, store).read()).holdings.received).toHaveLength(1);
		const second = new FakeNode();
		second.blocks = [];
		second.add([], "another genesis");
		second.add([await poolTransaction([noteTo(ann, 7n)])]);
		const { holdings } = await reading(second, store).read();
		expect(holdings.received.map(({ note }) => note.value)).toEqual([7n]);
	});

	it("asks for the tree of the first note it reads where it begins late, whosever that is", async () => {
		const early = [noteTo(bob, 1n), noteTo(bob, 2n), noteTo(bob, 3n)];
		const node = new FakeNode();
		for (const note of early) node.add([await poolTransaction([note])]);
		const foreign = await poolTransaction([noteTo(bob, 4n)]);
		node.add([foreign]);
		node.add([await poolTransaction([noteTo(ann, 5n)])]);
		const leaves = [...early, noteTo(bob, 0n)]
			.slice(0, 3)
			.map(({ note }) => noteCommitment(note) as Uint8Array);
		const contract = foreign.parameter as unknown as {
			receive_description: readonly { note_commitment: Uint8Array }[];
		};
		leaves.push(contract.receive_description[0]?.note_commitment as Uint8Array);
		const tree = leaves.reduce(appendLeaf, EMPTY_NOTE_TREE);
		const answered = node.call.bind(node);
		let asked: unknown;
		node.call = async (endpoint, request): Promise<JsonRecord> => {
			if (endpoint !== "getmerkletreevoucherinfo") return answered(endpoint, request);
			asked = request;
			const { left, right, parents } = IncrementalMerkleTree.create(tree);
			const hash = (node: { content: Uint8Array } | undefined): JsonRecord => ({
				content: toHex(node?.content ?? EMPTY),
			});
			return {
				vouchers: [
					{
						tree: {
							...(left ? { left: hash(left) } : {}),
							...(right ? { right: hash(right) } : {}),
							parents: parents.map(hash),
						},
					},
				],
			};
		};
		const { holdings } = await reading(node).read(4n);
		expect(asked).toEqual({ out_points: [{ hash: foreign.idHex, index: 0 }], block_num: 0 });
		expect(holdings.received).toMatchObject([{ position: 4n, note: { value: 5n } }]);
		const whole = await reading(node).read();
		expect(toHex(voucherRoot(holdings.received[0]?.voucher as NoteVoucher))).toBe(
			toHex(voucherRoot(whole.holdings.received[0]?.voucher as NoteVoucher)),
		);
	});

	it("wants to be told where to begin in a long chain", async () => {
		const node = new FakeNode();
		node.add();
		const answered = node.call.bind(node);
		node.call = async (endpoint, request) =>
			endpoint === "getnowblock" ? longChain(await answered(endpoint, request)) : answered(endpoint, request);
		await expect(reading(node).read()).rejects.toMatchObject({ code: "usage" });
	});

	it("passes over notes that were sealed for the key and are none", async () => {
		const node = new FakeNode();
		node.add([await poolTransaction([noteTo(ann, 6n)])]);
		const { holdings } = await reading(node).read();
		const { diversifier, transmissionKey } = addressOfKeys(ann);
		const esk = new Uint8Array(32).fill(1, 0, 1);
		const epk = ephemeralKey(diversifier, esk) as Uint8Array;
		const shared = agreeOnKey(transmissionKey, esk) as Uint8Array;
		const key = blake2b(concatBytes(shared, epk), {
			personalization: fromHex("5a74726f6e5f5361706c696e674b4446"),
			dkLen: 32,
		});
		const text = new Uint8Array(564).fill(2, 0, 1);
		const cm = noteCommitment(noteTo(ann, 6n).note) as Uint8Array;
		const published = { index: 0, position: undefined, cm, cv: cm, epk, forSender: new Uint8Array(80) };
		const reader = new HoldingsReader(ann, holdings);
		expect(() => openNote(ann.ivk, epk, seal(key, text), cm)).toThrow("lead byte");
		reader.take({
			txID: "00".repeat(32),
			block: 2n,
			notes: [{ ...published, forReceiver: seal(key, text) }],
			nullifiers: [],
			burns: [],
			isSilent: false,
		});
		expect(reader.after(2n, EMPTY).received).toHaveLength(1);
	});
});

/** The same head at a great height, whose id isn't asked for. */
function longChain({ block_header: _, ...rest }: JsonRecord): JsonRecord {
	const { blockID: __, ...bare } = rest;
	return { ...bare, block_header: { raw_data: { number: 5_000_000n, timestamp: 1n } } };
}
