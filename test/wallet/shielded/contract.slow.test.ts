/** The contract of these tests on a development chain: what it takes, and each way of cheating that it refuses. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { concatBytes, EMPTY, fromHex, toHex } from "../../../src/protocol/bytes.js";
import type { BuildingTools, NoteToSend, NoteToSpend } from "../../../src/protocol/sapling/descriptions.js";
import {
	appendLeaf,
	appendToVoucher,
	EMPTY_NOTE_TREE,
	issueVoucher,
	type NoteTree,
	type NoteVoucher,
	voucherPath,
	voucherRoot,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { addressOfKeys, type ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";
import { noteCommitment } from "../../../src/protocol/sapling/note.js";
import { buildOrc20Parameters, encodeTriggerInput } from "../../../src/protocol/sapling/orc20-builder.js";
import { outgoingNote } from "../../../src/wallet/shielded/payment.js";
import { SHIELDED_CALLS } from "../../../src/wallet/shielded/shielded-call.js";
import { ShieldedContract } from "../../../src/wallet/shielded/shielded-contract.js";
import { keysNumbered } from "./keys.js";
import { addressWord, FACTOR, type ShieldedChain, startShieldedChain, word } from "./shielded-chain.js";
import { SimulatedProver, seededRandom, someLeaf } from "./simulated-prover.js";

let chain: ShieldedChain;
beforeAll(async () => {
	chain = await startShieldedChain();
	const approve = fromHex(`095ea7b3${addressWord(chain.contract)}${word(10n ** 12n)}`);
	await chain.call(chain.people[0], chain.token, approve);
});
afterAll(() => chain.stop());

const random = seededRandom("contract");
const tools: BuildingTools = { prover: new SimulatedProver(), random };
const ann = keysNumbered(1);
const bob = keysNumbered(2);

/** The tree as the contract has it, and the notes in it. */
let tree: NoteTree = EMPTY_NOTE_TREE;
const vouchers: { note: NoteToSend; voucher: NoteVoucher }[] = [];

function grow(notes: readonly NoteToSend[]): void {
	for (const note of notes) {
		const cm = noteCommitment(note.note) as Uint8Array;
		tree = appendLeaf(tree, cm);
		for (const held of vouchers) held.voucher = appendToVoucher(held.voucher, cm);
		vouchers.push({ note, voucher: issueVoucher(tree) });
	}
}

const noteOf = (keys: ShieldedKeys, value: bigint): NoteToSend =>
	outgoingNote(addressOfKeys(keys), value, EMPTY, random);

function spendOf(index: number): NoteToSpend {
	const { note, voucher } = vouchers[index] as (typeof vouchers)[number];
	const alpha = fromHex(word(BigInt(index + 1))).reverse();
	return { note: note.note, alpha, anchor: voucherRoot(voucher), path: voucherPath(voucher) };
}

const spending = ({ full, spending: secret }: ShieldedKeys) => ({
	ak: (full as { ak: Uint8Array }).ak,
	nsk: (secret as { nsk: Uint8Array }).nsk,
	ask: (secret as { ask: Uint8Array }).ask,
});

interface Wanted {
	readonly kind: "mint" | "transfer" | "burn";
	readonly keys?: ShieldedKeys;
	readonly spends?: readonly NoteToSpend[];
	readonly outputs?: readonly NoteToSend[];
	readonly rawValue?: bigint;
	readonly payTo?: Uint8Array;
}

async function callOf({
	kind,
	keys,
	spends = [],
	outputs = [],
	rawValue = 0n,
	payTo,
}: Wanted): Promise<Uint8Array> {
	const parameters = await buildOrc20Parameters(
		{
			kind,
			contract: chain.contract,
			keys: keys && spending(keys),
			ovk: random(32),
			spends,
			outputs,
			rawValue,
			payTo,
		},
		tools,
	);
	const input = encodeTriggerInput(parameters, {
		rawValue,
		burnText: new Uint8Array(80),
		payTo: payTo ?? EMPTY,
		signatures: parameters.spend_description.map((spend) => spend.spend_authority_signature),
	});
	return concatBytes(fromHex(SHIELDED_CALLS[kind].selector), input);
}

const run = (data: Uint8Array): ReturnType<ShieldedChain["call"]> =>
	chain.call(chain.people[0], chain.contract, data);

const succeeds = async (data: Uint8Array): Promise<void> =>
	expect(await run(data)).toEqual({ result: "SUCCESS" });

const refuses = async (data: Uint8Array, reason: string): Promise<void> =>
	expect(await run(data)).toMatchObject({ result: "refused", reason: expect.stringContaining(reason) });

/** The same bytes with one bit changed. */
function changed(data: Uint8Array, at: number): Uint8Array {
	const copy = Uint8Array.from(data);
	copy[at] = (copy[at] as number) ^ 1;
	return copy;
}

/** Where parts of a mint's call data stand. */
const MINT = { value: 4 + 31, cm: 36, cv: 68, epk: 100, proof: 132 + 10, binding: 324 + 40, sealed: 388 };
/** Of a burn's. */
const BURN = {
	nullifier: 4,
	anchor: 36,
	cv: 68,
	rk: 100,
	proof: 132 + 10,
	authorization: 324 + 40,
	value: 388 + 31,
	binding: 420 + 40,
	payTo: 484 + 20,
};

describe.sequential("a contract of shielded notes", () => {
	let mint: Uint8Array;

	it("takes tokens in, and refuses every changed part of a mint", async () => {
		const made = noteOf(ann, 50n);
		mint = await callOf({ kind: "mint", outputs: [made], rawValue: 50n * FACTOR });
		for (const [part, at] of Object.entries(MINT)) {
			const reason = part === "value" ? "not a positive multiple" : "the proof is refused";
			await refuses(changed(mint, at), reason);
		}
		await succeeds(mint);
		grow([made]);
		await refuses(mint, "the note commitment is known");
	});

	it("refuses a mint of less than the note holds, or of no multiple", async () => {
		const made = noteOf(ann, 50n);
		const data = await callOf({ kind: "mint", outputs: [made], rawValue: 50n * FACTOR });
		const with_ = (raw: bigint): Uint8Array =>
			concatBytes(data.subarray(0, 4), fromHex(word(raw)), data.subarray(36));
		await refuses(with_(49n * FACTOR), "the proof is refused");
		await refuses(with_(50n * FACTOR + 1n), "not a positive multiple");
		await refuses(with_(0n), "not a positive multiple");
		await refuses(with_(2n ** 63n * FACTOR), "too large");
	});

	it("keeps the tree that a wallet follows, and tells the paths in it", async () => {
		for (const value of [30n, 20n, 7n]) {
			const made = noteOf(ann, value);
			await succeeds(await callOf({ kind: "mint", outputs: [made], rawValue: value * FACTOR }));
			grow([made]);
		}
		const asked = new ShieldedContract(chain.people[0].client, chain.contract);
		for (const [position, { voucher }] of vouchers.entries()) {
			const { root, siblings } = await asked.path(BigInt(position));
			expect(toHex(root)).toBe(toHex(voucherRoot(voucher)));
			expect(siblings.map(toHex)).toEqual(voucherPath(voucher).siblings.map(toHex));
		}
		expect(await asked.scalingFactor()).toBe(FACTOR);
		expect(toHex((await asked.token()) ?? EMPTY)).toBe(toHex(chain.token));
	});

	it("moves two notes to two others, once", async () => {
		const outputs = [noteOf(bob, 60n), noteOf(ann, 20n)];
		const data = await callOf({ kind: "transfer", keys: ann, spends: [spendOf(0), spendOf(1)], outputs });
		await succeeds(data);
		await refuses(data, "the note is spent");
		const again = [noteOf(bob, 50n)];
		await refuses(
			await callOf({ kind: "transfer", keys: ann, spends: [spendOf(0)], outputs: again }),
			"the note is spent",
		);
		grow(outputs);
	});

	it("refuses a transfer that makes more than it spends, spends a note twice, or has a known commitment", async () => {
		const transfer = (spends: readonly NoteToSpend[], outputs: readonly NoteToSend[]) =>
			callOf({ kind: "transfer", keys: ann, spends, outputs });
		await refuses(await transfer([spendOf(2)], [noteOf(bob, 21n)]), "the proof is refused");
		await refuses(await transfer([spendOf(2), spendOf(2)], [noteOf(bob, 40n)]), "the proof is refused");
		const twice = noteOf(bob, 10n);
		await refuses(await transfer([spendOf(2)], [twice, twice]), "the proof is refused");
		const known = (vouchers[4] as (typeof vouchers)[number]).note;
		await refuses(await transfer([spendOf(2)], [known]), "the note commitment is known");
	});

	it("refuses an anchor that its tree never had", async () => {
		const { note } = vouchers[2] as (typeof vouchers)[number];
		const own = appendLeaf(appendLeaf(EMPTY_NOTE_TREE, someLeaf(1)), noteCommitment(note.note) as Uint8Array);
		const voucher = issueVoucher(own);
		const spend = { ...spendOf(2), anchor: voucherRoot(voucher), path: voucherPath(voucher) };
		await refuses(
			await callOf({ kind: "transfer", keys: ann, spends: [spend], outputs: [noteOf(bob, 20n)] }),
			"the anchor is unknown",
		);
	});

	it("pays a note out to an account, whole, and refuses every changed part", async () => {
		const { owner: payTo } = await chain.people[1].actor();
		const burn = await callOf({
			kind: "burn",
			keys: ann,
			spends: [spendOf(2)],
			rawValue: 20n * FACTOR,
			payTo,
		});
		const reasons: Readonly<Record<string, string>> = {
			anchor: "the anchor is unknown",
			value: "not a positive multiple",
		};
		for (const [part, at] of Object.entries(BURN))
			await refuses(changed(burn, at), reasons[part] ?? "the proof is refused");
		await succeeds(burn);
		await refuses(burn, "the note is spent");
	});

	it("pays a part of a note out, and keeps the rest as another", async () => {
		const { owner: payTo } = await chain.people[1].actor();
		const rest = noteOf(ann, 3n);
		const burn = await callOf({
			kind: "burn",
			keys: ann,
			spends: [spendOf(3)],
			outputs: [rest],
			rawValue: 4n * FACTOR,
			payTo,
		});
		await refuses(changed(burn, BURN.payTo), "the proof is refused");
		await refuses(changed(burn, BURN.proof), "the proof is refused");
		await succeeds(burn);
		grow([rest]);
		const asked = new ShieldedContract(chain.people[0].client, chain.contract);
		expect(await asked.knowsRoot(voucherRoot((vouchers.at(-1) as (typeof vouchers)[number]).voucher))).toBe(
			true,
		);
	});

	it("refuses calls of other shapes", async () => {
		await refuses(fromHex("12345678"), "no such function");
		await refuses(concatBytes(fromHex(SHIELDED_CALLS.burn.selector), new Uint8Array(736)), "");
	});
});
