import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type OpenChain, proofGap } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { MissingProofsError, UnverifiableBlockError } from "../../../src/node/rules/errors.js";
import type { ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import { loadShieldedSupport, takesProofsUnchecked } from "../../../src/node/shielded-support.js";
import {
	ReceiveDescription,
	ShieldedTransferContract,
	SpendDescription,
} from "../../../src/protocol/messages.js";
import { encodedTrees } from "../../../src/protocol/sapling/incremental-tree.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { startHttpNode } from "../api/http-node.js";
import { forge, keyOfWitness, openSmall, produce, signed, smallConfig, users } from "./small-chain.js";

const ON = "allowShieldedTransaction = 1, allowSameTokenName = 1";

let open: OpenChain | undefined;
afterEach(async () => {
	await open?.close();
	open = undefined;
});

const transfer = (chain: OpenChain): SignedTransaction =>
	signed(
		chain,
		0,
		"ShieldedTransferContract",
		ShieldedTransferContract.create({
			transparent_from_address: users[0] as Uint8Array,
			from_amount: 1_000_000n,
			spend_description: [SpendDescription.create()],
			receive_description: [ReceiveDescription.create()],
		}),
	);

describe("a chain with shielded transactions", () => {
	it.each(["allowShieldedORC20Transaction = 1", ON])(
		"is not opened without what checks proofs: %s",
		async (committee) => {
			await expect(openSmall({ config: smallConfig(committee) })).rejects.toThrow(
				/^this chain has shielded transactions, .* fetch sapling-spend\.params and sapling-output\.params/,
			);
		},
	);

	it("leaves nothing behind where it isn't opened, and is told by a check of the configuration", async () => {
		const folder = mkdtempSync(join(tmpdir(), "coin-proofs-"));
		try {
			const config = smallConfig(ON);
			const dataDirectory = join(folder, "data");
			await expect(openSmall({ config, dataDirectory })).rejects.toThrow("node.shielded.params is not set");
			expect(existsSync(dataDirectory)).toBe(false);
			expect(proofGap(config)).toContain("node.shielded.params is not set");
			expect(proofGap(smallConfig())).toBeUndefined();
			expect(proofGap(smallConfig(ON, "node.shielded.allowUnverified = true"))).toBeUndefined();
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("is opened where the configuration takes proofs unchecked, or the release checks none", async () => {
		const config = smallConfig(ON, "node.shielded.allowUnverified = true");
		expect(takesProofsUnchecked(config)).toBe(true);
		open = await openSmall({ config, shielded: await loadShieldedSupport(config, false) });
		await open.close();
		const off = "node.release = 4.8.0\nnode.fullNodeAllowShieldedTransaction = false";
		open = await openSmall({ config: smallConfig(ON, off) });
	});

	it("is given up before the first block that asks for a proof, when it switched them on while the node ran", async () => {
		const told: Error[] = [];
		const config = smallConfig("", "node.allowShieldedTransactionApi = true");
		open = await openSmall({ config, onUnverifiable: (error) => told.push(error) });
		produce(open);
		const { chain } = open;
		for (const name of ["ALLOW_SHIELDED_TRANSACTION", "ALLOW_SAME_TOKEN_NAME"] as const) {
			chain.state.properties.set(name, 1n);
		}
		open.database.commitBlock(chain.head.number);
		const witness = scheduledWitness(chain.state, 1n);
		const block = forge(chain.head, slotTimeMs(chain.state, 1n), {
			key: keyOfWitness(witness),
			witness,
			transactions: [transfer(open)],
		});
		const before = chain.head.number;
		expect(() => chain.pushTransaction(transfer(open as OpenChain))).toThrow(MissingProofsError);
		expect(told).toEqual([]);
		expect(() => chain.push(block, "peer")).toThrow(UnverifiableBlockError);
		expect(told.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^block 2 asks for a shielded proof, .* sapling-spend\.params/),
		]);
		expect(chain.head.number).toBe(before);
	});
});

describe("a node that takes proofs unchecked", () => {
	it("says so on its page for operators", async () => {
		const warned = await startHttpNode(
			"node.shielded.allowUnverified = true\ncommittee.allowShieldedORC20Transaction = 1",
		);
		const { json } = await warned.ask("/health");
		expect(json["warnings"]).toEqual([expect.stringContaining("shielded proofs are not checked")]);
		await warned.close();
		const quiet = await startHttpNode();
		expect((await quiet.ask("/health")).json).toEqual({ status: "ok" });
		await quiet.close();
	});

	it("still refuses wrong signatures and values, and hashes trees", async () => {
		const support = await loadShieldedSupport(smallConfig("", "node.shielded.allowUnverified = true"), false);
		const proofs = support?.proofs as ShieldedProofs;
		const [hash, signature] = [new Uint8Array(32), new Uint8Array(64)];
		expect(proofs.holdsBalance({ spent: [], created: [], value: 1n, signature }, hash)).toBe(false);
		expect(support?.trees).toBe(encodedTrees);
	});
});
