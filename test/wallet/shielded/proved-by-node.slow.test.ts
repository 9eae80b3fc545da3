import { describe, expect, it } from "vitest";
import { toHex, utf8 } from "../../../src/protocol/bytes.js";
import {
	appendLeaf,
	EMPTY_NOTE_TREE,
	issueVoucher,
	voucherPath,
	voucherRoot,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { addressOfKeys } from "../../../src/protocol/sapling/key-set.js";
import { noteCommitment } from "../../../src/protocol/sapling/note.js";
import type { Orc20Plan } from "../../../src/protocol/sapling/orc20-builder.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { outgoingNote } from "../../../src/wallet/shielded/payment.js";
import { provedByNode } from "../../../src/wallet/shielded/proved-by-node.js";
import { FakeNode } from "./fake-node.js";
import { keysNumbered } from "./keys.js";
import { PROVING_METHOD, proveFor } from "./proving-node.js";
import { seededRandom } from "./simulated-prover.js";

const [ann, bob] = [keysNumbered(1), keysNumbered(2)];
const random = seededRandom("proved by node");
const contract = new Uint8Array(21).fill(0x41);

function plan(): Orc20Plan {
	const held = outgoingNote(addressOfKeys(ann), 10n, utf8(""), random);
	const voucher = issueVoucher(appendLeaf(EMPTY_NOTE_TREE, noteCommitment(held.note) as Uint8Array));
	const { full, spending, ovk } = ann;
	return {
		kind: "transfer",
		contract,
		keys: {
			ak: full?.ak as Uint8Array,
			nsk: spending?.nsk as Uint8Array,
			ask: spending?.ask as Uint8Array,
		},
		ovk: ovk as Uint8Array,
		spends: [
			{
				note: held.note,
				alpha: new Uint8Array(32).fill(7, 0, 1),
				anchor: voucherRoot(voucher),
				path: voucherPath(voucher),
			},
		],
		outputs: [
			outgoingNote(addressOfKeys(bob), 6n, utf8("for you"), random),
			outgoingNote(addressOfKeys(ann), 4n, utf8(""), random),
		],
		rawValue: 0n,
	};
}

/** A node that answers with what a change makes of the proper answer. */
class Prover extends FakeNode {
	request = "";

	constructor(private readonly change: (answer: JsonRecord) => JsonRecord = (answer) => answer) {
		super();
	}

	override async call(endpoint: string, request: object): Promise<JsonRecord> {
		if (endpoint !== PROVING_METHOD) return super.call(endpoint, request);
		this.request = JSON.stringify(request, (_, item: unknown) =>
			typeof item === "bigint" ? `${item}` : item,
		);
		const asked = structuredClone(request) as JsonRecord;
		return this.change(await proveFor(asked, 1n));
	}
}

type Parts = Record<string, string>[];

describe("letting a node make the proofs", () => {
	it("never tells it the key that authorizes, and signs here what was asked for", async () => {
		const node = new Prover();
		const asked = plan();
		const parameters = await provedByNode(node, random)(asked);
		expect(node.request).toContain(toHex(asked.keys?.nsk as Uint8Array));
		expect(node.request).not.toContain(toHex(asked.keys?.ask as Uint8Array));
		expect(node.request).not.toContain(toHex(ann.spending?.sk as Uint8Array));
		const [spend] = parameters.spend_description;
		expect(spend?.spend_authority_signature).toHaveLength(64);
		expect(toHex(spend?.spend_authority_signature as Uint8Array)).not.toBe("00".repeat(64));
	});

	it.each<[string, (answer: JsonRecord) => JsonRecord]>([
		[
			"other notes",
			({ receive_description: notes, ...rest }) => ({
				...rest,
				receive_description: [...(notes as unknown as Parts)].reverse() as never,
			}),
		],
		[
			"fewer notes",
			({ receive_description: notes, ...rest }) => ({
				...rest,
				receive_description: (notes as unknown as Parts).slice(1) as never,
			}),
		],
		["another hash to sign", (answer) => ({ ...answer, message_hash: "11".repeat(32) })],
		["another kind of call", (answer) => ({ ...answer, parameter_type: "burn" })],
		[
			"a sealed text that the receiver can't open",
			(answer) => changedPart(answer, "receive_description", "c_enc"),
		],
		["another spend", (answer) => changedPart(answer, "spend_description", "nullifier")],
		["another anchor", (answer) => changedPart(answer, "spend_description", "anchor")],
		["another key of the spend", (answer) => changedPart(answer, "spend_description", "rk")],
		["another proof than was hashed", (answer) => changedPart(answer, "spend_description", "zkproof")],
	])("signs nothing where the node made %s", async (_, change) => {
		const failed = provedByNode(new Prover(change), random)(plan());
		await expect(failed).rejects.toMatchObject({ code: "transaction_mismatch", facts: { sent: false } });
	});
});

/** The last byte of a part of the first description, changed. */
function changedPart(answer: JsonRecord, list: string, part: string): JsonRecord {
	const [first, ...rest] = answer[list] as unknown as Parts;
	const text = first?.[part] ?? "";
	const last = Number.parseInt(text.slice(-2), 16) ^ 1;
	const changed = { ...first, [part]: text.slice(0, -2) + last.toString(16).padStart(2, "0") };
	return { ...answer, [list]: [changed, ...rest] as never };
}
