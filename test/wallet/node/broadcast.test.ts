import { describe, expect, test } from "vitest";
import { Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { broadcast } from "../../../src/wallet/node/broadcast.js";
import { answering } from "../answering-client.js";

const transaction = new SignedTransaction(
	Transaction.create({ raw_data: TransactionRaw.create({ expiration: 5_000n }) }),
);
const txID = transaction.idHex;

const send = (answer: JsonRecord | Failure, nowMs = 4_999): Promise<void> =>
	broadcast(answering({ broadcasthex: answer }).client, transaction, nowMs);

describe("handing a transaction to a node", () => {
	test("ends well once the node has taken these very bytes", async () => {
		await send({ result: true });
		await send({ result: true, txid: txID.toUpperCase() });
		await expect(send({ result: true, txid: "00".repeat(32) })).rejects.toMatchObject({
			code: "rpc_error",
			facts: { sent: "unknown", txID },
		});
	});

	test.each<[node: string, message: string, code: string, sent: boolean | "unknown", shown?: string]>([
		["SIGERROR", "Validate signature error: x", "not_authorized", "unknown", "x"],
		[
			"DUP_TRANSACTION_ERROR",
			"Dup transaction.",
			"duplicate",
			true,
			"the network has this very transaction already: nothing happens twice",
		],
		["TRANSACTION_EXPIRATION_ERROR", "expired", "tx_expired", "unknown"],
		["SERVER_BUSY", "busy", "node_busy", "unknown"],
		["SOMETHING_NEW", "", "rpc_error", "unknown", "the node refused the transaction: SOMETHING_NEW"],
	])("tells the refusal %s", async (node, message, code, sent, shown = message) => {
		await expect(send({ code: node, message })).rejects.toMatchObject({
			code,
			message: shown,
			facts: { sent, txID, node: { code: node, message } },
		});
	});

	test("says of one that the node has in a block which one that is, and with which result", async () => {
		const receipt = { id: txID, blockNumber: 186n, receipt: { result: "REVERT" } };
		const answers = {
			broadcasthex: { code: "DUP_TRANSACTION_ERROR", message: "Dup transaction." },
			gettransactioninfobyid: receipt,
		};
		await expect(broadcast(answering(answers).client, transaction)).rejects.toThrow(
			"the network has this very transaction already (block 186, REVERT): nothing happens twice",
		);
	});

	test.each<[code: string, nowMs: number]>([
		["TRANSACTION_EXPIRATION_ERROR", 6_000],
		// The permission that it changed, or that was changed since, doesn't know the key any more.
		["SIGERROR", 4_999],
	])("doesn't say %s of a transaction in a block", async (code, nowMs) => {
		const refused = { code, message: "" };
		const { client } = answering({ broadcasthex: refused, gettransactionbyid: { txID } });
		await expect(broadcast(client, transaction, nowMs)).rejects.toMatchObject({
			code: "duplicate",
			facts: { sent: true, node: refused },
		});
	});

	test("doesn't call expired either what a node without records has in a block, or may have", async () => {
		const raw = TransactionRaw.create({ expiration: 5_000n, ref_block_bytes: new Uint8Array(2) });
		const referring = new SignedTransaction(Transaction.create({ raw_data: raw }));
		const over = { code: "TRANSACTION_EXPIRATION_ERROR", message: "expired" };
		const node = (blocks: JsonRecord) =>
			answering({
				broadcasthex: over,
				gettransactionbyid: {},
				getnowblock: block(1n),
				getblockbynum: blocks,
			});
		const block = (number: bigint): JsonRecord => ({ block_header: { raw_data: { number } } });
		const sent = (blocks: JsonRecord) => broadcast(node(blocks).client, referring, 6_000);
		await expect(sent({})).rejects.toMatchObject({ code: "rpc_error", facts: { sent: "unknown" } });
		await expect(sent(block(0n))).rejects.toMatchObject({ code: "tx_expired", facts: { sent: false } });
	});

	test.each<[what: string, failure: Failure, sent: boolean | "unknown"]>([
		["a time-out", new Failure("timeout", ""), "unknown"],
		["a connection that broke", new Failure("network", "", { details: { cause: "ECONNRESET" } }), "unknown"],
		["one that never was", new Failure("network", "", { details: { cause: "ECONNREFUSED" } }), false],
		["a proxy's word", new Failure("rpc_error", "", { node: { code: "502", message: "" } }), "unknown"],
		["an answer that can't be read", new Failure("rpc_error", ""), "unknown"],
		[
			"the node's own refusal",
			new Failure("rpc_error", "", { node: { code: "400", message: "" } }),
			"unknown",
		],
		["an endpoint that isn't served", new Failure("not_served", ""), "unknown"],
	])("says after %s whether it may have arrived", async (_, failure, sent) => {
		await expect(send(failure)).rejects.toMatchObject({ code: failure.code, facts: { sent, txID } });
	});

	test("calls nothing unsent because its time is over by this machine's clock alone, which may be fast", async () => {
		const unknown = { facts: { sent: "unknown" } };
		await expect(send({ code: "SERVER_BUSY", message: "busy" }, 6_000)).rejects.toMatchObject(unknown);
		await expect(send(new Failure("timeout", ""), 6_000)).rejects.toMatchObject(unknown);
	});
});
