/** Handing a transaction to a node: the exact bytes, once, and never again by itself (protocol/http-endpoints §2.2, protocol/command-line §2.2). */

import { toHex } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure, type FailureCode } from "../failure.js";
import type { JsonRecord } from "../json.js";
import type { NodeClient } from "./node-client.js";
import { broadcastMessage, isKeptUnannounced, validationCode } from "./node-messages.js";

const CODES: Readonly<Record<string, FailureCode>> = {
	SIGERROR: "not_authorized",
	CONTRACT_VALIDATE_ERROR: "contract_validate",
	CONTRACT_EXE_ERROR: "contract_validate",
	BANDWITH_ERROR: "insufficient_resource",
	DUP_TRANSACTION_ERROR: "duplicate",
	TAPOS_ERROR: "tapos",
	TRANSACTION_EXPIRATION_ERROR: "tx_expired",
	SERVER_BUSY: "node_busy",
	NO_CONNECTION: "no_connection",
	NOT_ENOUGH_EFFECTIVE_CONNECTION: "no_connection",
	BLOCK_UNSOLIDIFIED: "node_syncing",
};

/**
 * Broadcasts a transaction. Returning means that the node took it into its pool, nothing more.
 * @throws {Failure} with `sent` and `txID`: false if the node refused it, true if it has it, "unknown" if the
 * connection broke on the way
 */
export async function broadcast(client: NodeClient, transaction: SignedTransaction): Promise<void> {
	const txID = transaction.idHex;
	let answer: JsonRecord;
	try {
		answer = await client.call("broadcasthex", { transaction: toHex(transaction.bytes) });
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		throw mayHaveArrived(error)
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
	throw refusalOf(
		typeof code === "string" ? code : "UNKNOWN",
		typeof message === "string" ? message : "",
		txID,
	);
}

/** Errors of a connection that never came about. */
const UNCONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Whether a request that got no proper answer may have been carried out. */
function mayHaveArrived({ code, facts }: Failure): boolean {
	if (code === "timeout") return true;
	if (code === "network") return !UNCONNECTED.has(String(facts.details?.["cause"]));
	// No JSON, or a proxy's word that the node behind it didn't answer properly; a node's own refusal names its reason.
	return code === "rpc_error" && (facts.node === undefined || /^5\d\d$/.test(facts.node.code));
}

function refusalOf(nodeCode: string, nodeMessage: string, txID: string): Failure {
	const message = broadcastMessage(nodeMessage);
	let code = CODES[nodeCode] ?? "rpc_error";
	if (code === "contract_validate") code = validationCode(message);
	// A node that could not announce a transaction keeps it in its pool all the same.
	const kept = code === "duplicate" || isKeptUnannounced(nodeMessage);
	return new Failure(code, message === "" ? `the node refused the transaction: ${nodeCode}` : message, {
		sent: kept,
		txID,
		node: { code: nodeCode, message: nodeMessage },
		...(kept ? { hint: `coin tx wait ${txID}` } : {}),
	});
}
