/** Broadcasts a transaction: its exact bytes, once, without automatic retries (protocol/http-endpoints §2.2, protocol/command-line §2.2). */

import { toHex } from "../../protocol/bytes.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure, type FailureCode, onRefusal } from "../failure.js";
import type { JsonRecord } from "../json.js";
import { fetchReceipt } from "./chain-query.js";
import type { NodeClient } from "./node-client.js";
import { broadcastMessage, isKeptUnannounced, validationCode, withSentence } from "./node-messages.js";
import { isInRecords, recordInBlocks, resultName } from "./wait.js";

const CODES: Readonly<Record<string, FailureCode>> = {
	SIGERROR: "not_authorized",
	CONTRACT_VALIDATE_ERROR: "contract_validate",
	CONTRACT_EXE_ERROR: "contract_validate",
	BANDWITH_ERROR: "insufficient_resource",
	TAPOS_ERROR: "tapos",
	TRANSACTION_EXPIRATION_ERROR: "tx_expired",
	SERVER_BUSY: "node_busy",
	NO_CONNECTION: "no_connection",
	NOT_ENOUGH_EFFECTIVE_CONNECTION: "no_connection",
	BLOCK_UNSOLIDIFIED: "node_syncing",
};

/**
 * Broadcasts a transaction. Returning only means that the node accepted it into its mempool.
 * @param nowMs this machine's clock
 * @throws {Failure} with `txID` and `sent`: true if the node has it; "unknown" if the connection broke, or if the node refused it, since
 * it has the bytes and could send them until they expire; false if no node received it, or if it has expired by the node's account,
 * this machine's clock and the blocks. `rpc_error` if the node calls it expired and can't tell whether it is in a block
 */
export async function broadcast(
	client: NodeClient,
	transaction: SignedTransaction,
	nowMs = Date.now(),
): Promise<void> {
	const txID = transaction.idHex;
	const lives = (transaction.raw?.expiration ?? 0n) > BigInt(nowMs);
	let answer: JsonRecord;
	try {
		answer = await client.call("broadcasthex", { transaction: toHex(transaction.bytes) });
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		// Regardless of this machine's clock, which may be fast: the node has the bytes.
		throw hasArrived(error)
			? error.with({ sent: "unknown", txID, hint: `coin tx wait ${txID}` })
			: error.with({ sent: false, txID });
	}
	const { result, code, message, txid } = answer;
	if (result === true) {
		if (typeof txid === "string" && txid !== "" && txid.toLowerCase() !== txID) {
			throw new Failure("rpc_error", `the node took the transaction as ${txid}, but its bytes give ${txID}`, {
				sent: "unknown",
				txID,
				hint: `coin tx wait ${txID}`,
			});
		}
		return;
	}
	// Even for a transaction in a block, a node reports expiration once it is over, and checks signatures by the current permission.
	const isOver = code === "TRANSACTION_EXPIRATION_ERROR";
	const isKnown = (isOver || code === "SIGERROR") && (await isInBlock(client, transaction, lives || !isOver));
	if (isKnown || code === "DUP_TRANSACTION_ERROR") {
		const receipt = await fetchReceipt(client, transaction.id).catch(onRefusal(undefined));
		throw sentBefore(txID, receipt).with({ node: { code: String(code), message: String(message ?? "") } });
	}
	throw refusalOf(
		typeof code === "string" ? code : "UNKNOWN",
		typeof message === "string" ? message : "",
		txID,
		isOver && !lives,
	);
}

/** @param lives whether, by the node or by this machine's clock, it may still be included in a block, which the failure then says */
async function isInBlock(
	client: NodeClient,
	transaction: SignedTransaction,
	lives: boolean,
): Promise<boolean> {
	if (await isInRecords(client, transaction.id).catch(onRefusal(false))) return true;
	try {
		return !lives && (await recordInBlocks(client, transaction)) !== undefined;
	} catch (error) {
		throw error instanceof Failure ? error.with({ sent: "unknown", txID: transaction.idHex }) : error;
	}
}

/** Error codes of connections that were never established. */
const UNCONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Whether a node may have received the bytes, whatever its response. */
function hasArrived({ code, facts }: Failure): boolean {
	return code !== "network" || !UNCONNECTED.has(String(facts.details?.["cause"]));
}

/** The failure for a transaction that was already sent or is in a block. @param receipt if it is in one, and the node knows it */
export function sentBefore(txID: string, receipt?: Readonly<TransactionInfo>): Failure {
	const where = receipt ? ` (block ${receipt.blockNumber}, ${resultName(receipt)})` : "";
	const message = `the network has this very transaction already${where}: nothing happens twice`;
	return new Failure("duplicate", message, { sent: true, txID, hint: `coin tx wait ${txID}` });
}

function refusalOf(nodeCode: string, nodeMessage: string, txID: string, isDead: boolean): Failure {
	const node = { code: nodeCode, message: nodeMessage };
	const message = broadcastMessage(nodeMessage);
	let code = CODES[nodeCode] ?? "rpc_error";
	if (code === "contract_validate") code = validationCode(message);
	// A node that couldn't announce a transaction to its peers still keeps it in its mempool.
	const kept = isKeptUnannounced(nodeMessage);
	const said = message === "" ? `the node refused the transaction: ${nodeCode}` : withSentence(message);
	return new Failure(code, said, {
		sent: kept || (isDead ? false : "unknown"),
		txID,
		node,
		...(kept ? { hint: `coin tx wait ${txID}` } : {}),
	});
}
