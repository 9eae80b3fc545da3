/**
 * Interprets a node's messages where no field of the response says the same (protocol/http §4, protocol/json-rpc §2.4): the
 * HTTP API distinguishes errors by an exception's name and message, and JSON-RPC gives many errors one code. All
 * patterns for such messages are in this file, except for advice to users (`refusal-advice.ts`).
 */

import { toNeutral } from "../../protocol/dialect.js";
import { Failure, type FailureCode } from "../failure.js";

/** A lite node's plain-text response to queries about history. */
export const LITE_NODE = "this API is closed because this node is a lite fullnode";

/** Converts a node's error text: an exception class, with or without its package, and the message. */
export function refusalByNode(text: string): Failure {
	const match = /^(?:class )?(?:[\w$]+\.)*([\w$]+) : ([\s\S]*)$/.exec(text);
	const code = match?.[1] ?? "Error";
	// The class becomes the code; it is dropped from the message.
	const plain = match?.[2] ?? text;
	const message = toNeutralMessage(plain);
	const said = message === "null" ? `the node failed with ${code}` : withSentence(message);
	return new Failure(codeOf(code, message), said, { node: { code, message: plain } });
}

/** Replacements for node messages that name internals of the node, or only the violated rule. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
	[/^balance is not sufficient\.?$/, "the account has fewer coins than this takes"],
	[/^balance < AccountUpgradeCost$/, "the account has fewer coins than becoming a witness costs"],
	[/^no OwnerAccount\.?$/i, "the account that acts isn't on the chain yet"],
];

/** Puts a readable sentence before the node's own message if only the node's developers would understand that. */
export function withSentence(message: string): string {
	const bare = message.replace(/^Validate \w+ error, (?=\S)/, "");
	const sentence = SENTENCES.find(([pattern]) => pattern.test(bare))?.[1];
	return sentence === undefined ? message : `${sentence} (${bare.replace(/\.$/, "")})`;
}

function codeOf(exception: string, message: string): FailureCode {
	if (/^Contract(Validate|Exe)\w*$/.test(exception)) return validationCode(message);
	return isStateMissing(message) ? "not_served" : "rpc_error";
}

/** Whether a message says that the node doesn't have the state of the requested block. */
function isStateMissing(message: string): boolean {
	return /^the history of the state begins with block|^the state of block \d+ is not known/.test(message);
}

/** Whether a JSON-RPC server refused because it doesn't keep the state of past blocks. */
export function keepsNoPast({ message }: Failure): boolean {
	return /QUANTITY not supported|the state of past blocks is not kept|TAG \[.*\] not supported/.test(message);
}

/** The code for a contract validation error: distinguishes those that the user can fix by adding funds. */
export function validationCode(message: string): FailureCode {
	// What is missing there is a stake that can be taken back, not funds.
	if (/delegate/i.test(message)) return "contract_validate";
	return /balance is not (sufficient|enough)|balance must be greater|insufficient/i.test(message)
		? "insufficient_funds"
		: "contract_validate";
}

/** The message of a refused broadcast, in neutral spelling and without prefixes that repeat its code. */
export function broadcastMessage(text: string): string {
	return toNeutralMessage(text)
		.replace(/^Contract (validate|execute) error : /, "")
		.replace(/^Validate signature error: /, "");
}

/** Whether a broadcast failed only because it wasn't announced to peers: the transaction then stays in the node's mempool. */
export function isKeptUnannounced(message: string): boolean {
	return /^P2P broadcast failed/.test(message);
}

/** Whether a constant call failed because the contract reverted. */
export function isRevertMessage(message: string): boolean {
	return /revert/i.test(message);
}

/** Whether a message says nothing more than that a contract reverted. */
export function isBareRevert(message: string): boolean {
	return message === "" || message === "REVERT opcode executed";
}

/** A message of the virtual machine, without the exception class. */
export function withoutClass(message: string): string {
	return message.replace(/^class (?:[\w$]+\.)+[\w$]+ : /, "");
}

/** Whether a market order doesn't exist, or no longer exists. */
export function isOrderMissing({ message }: Failure): boolean {
	return /order not found in store/.test(message);
}

/** Whether a JSON-RPC server doesn't know a filter, or has dropped it. */
export function isFilterMissing({ message }: Failure): boolean {
	return /filter not found/i.test(message);
}

/** How many blocks a query may span, by a JSON-RPC server's error; `unknown` if it doesn't say; undefined for any other error. */
export function rangeLimitIn({ message }: Failure): bigint | "unknown" | undefined {
	const limit = /block range: (\d+)/.exec(message)?.[1];
	// The server's limit is the difference between the two block numbers.
	if (limit !== undefined) return BigInt(limit) + 1n;
	return /more than|exceed|too many|limit/i.test(message) ? "unknown" : undefined;
}

/** Converts a message in either spelling to the neutral one. */
export function toNeutralMessage(text: string): string {
	return text
		.split(/(\b\w+\b)/)
		.map((word) => (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(word) ? word : toNeutral(word)))
		.join("");
}
