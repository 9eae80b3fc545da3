/**
 * What a node's messages mean, where its answer has no field that says it (protocol/http §4, protocol/json-rpc §2.4): the
 * HTTP API tells refusals apart by an exception's name and a text, and JSON-RPC gives many refusals one code. Every
 * pattern over such a text stands here, but for the advice to people (`refusal-advice.ts`).
 */

import { toNeutral } from "../../protocol/dialect.js";
import { Failure, type FailureCode } from "../failure.js";

/** What a node without history answers to questions about history, in the place of JSON. */
export const LITE_NODE = "this API is closed because this node is a lite fullnode";

/** An error text of a node: an exception class with or without its package, and the message. */
export function refusalByNode(text: string): Failure {
	const match = /^(?:class )?(?:[\w$]+\.)*([\w$]+) : ([\s\S]*)$/.exec(text);
	const code = match?.[1] ?? "Error";
	// The class is the code; in front of the text it is noise.
	const plain = match?.[2] ?? text;
	const message = toNeutralMessage(plain);
	const said = message === "null" ? `the node failed with ${code}` : withSentence(message);
	return new Failure(codeOf(code, message), said, { node: { code, message: plain } });
}

/** Refusals whose words name a part of the node's program, or the bare rule, and what they say. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
	[/^balance is not sufficient\.?$/, "the account has fewer coins than this takes"],
	[/^balance < AccountUpgradeCost$/, "the account has fewer coins than becoming a witness costs"],
	[/^no OwnerAccount\.?$/i, "the account that acts isn't on the chain yet"],
];

/** A refusal as a sentence with the node's words beside it, where these say it to its programmers alone. */
export function withSentence(message: string): string {
	const bare = message.replace(/^Validate \w+ error, (?=\S)/, "");
	const sentence = SENTENCES.find(([pattern]) => pattern.test(bare))?.[1];
	return sentence === undefined ? message : `${sentence} (${bare.replace(/\.$/, "")})`;
}

function codeOf(exception: string, message: string): FailureCode {
	if (/^Contract(Validate|Exe)\w*$/.test(exception)) return validationCode(message);
	return isStateMissing(message) ? "not_served" : "rpc_error";
}

/** Whether a node doesn't have the state of the block that was asked for. */
function isStateMissing(message: string): boolean {
	return /^the history of the state begins with block|^the state of block \d+ is not known/.test(message);
}

/** Whether a JSON-RPC server can't tell the state of past blocks. */
export function keepsNoPast({ message }: Failure): boolean {
	return /QUANTITY not supported|the state of past blocks is not kept|TAG \[.*\] not supported/.test(message);
}

/** The code of a refusal by a contract type's rules: those that a person can cure by money are told apart. */
export function validationCode(message: string): FailureCode {
	// What is lacking there is a stake that can be taken back, not money.
	if (/delegate/i.test(message)) return "contract_validate";
	return /balance is not (sufficient|enough)|balance must be greater|insufficient/i.test(message)
		? "insufficient_funds"
		: "contract_validate";
}

/** The message of a refused broadcast without the prefixes that repeat its code, in the neutral spelling. */
export function broadcastMessage(text: string): string {
	return toNeutralMessage(text)
		.replace(/^Contract (validate|execute) error : /, "")
		.replace(/^Validate signature error: /, "");
}

/** Whether a refused broadcast was only not announced to peers: such a transaction stays in the node's pool. */
export function isKeptUnannounced(message: string): boolean {
	return /^P2P broadcast failed/.test(message);
}

/** Whether a constant call failed by a revert of the contract. */
export function isRevertMessage(message: string): boolean {
	return /revert/i.test(message);
}

/** Whether a message only repeats that a contract reverted. */
export function isBareRevert(message: string): boolean {
	return message === "" || message === "REVERT opcode executed";
}

/** A message of the contract machine without the exception's class. */
export function withoutClass(message: string): string {
	return message.replace(/^class (?:[\w$]+\.)+[\w$]+ : /, "");
}

/** Whether a market order isn't there, or isn't any more. */
export function isOrderMissing({ message }: Failure): boolean {
	return /order not found in store/.test(message);
}

/** Whether a JSON-RPC server doesn't know a filter, or has dropped it. */
export function isFilterMissing({ message }: Failure): boolean {
	return /filter not found/i.test(message);
}

/** What a JSON-RPC server says of a query that spans too many blocks: how many it allows, `unknown` or no such refusal. */
export function rangeLimitIn({ message }: Failure): bigint | "unknown" | undefined {
	const limit = /block range: (\d+)/.exec(message)?.[1];
	// The limit is the difference of the two numbers.
	if (limit !== undefined) return BigInt(limit) + 1n;
	return /more than|exceed|too many|limit/i.test(message) ? "unknown" : undefined;
}

/** Messages of either spelling in the neutral one. */
export function toNeutralMessage(text: string): string {
	return text
		.split(/(\b\w+\b)/)
		.map((word) => (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(word) ? word : toNeutral(word)))
		.join("");
}
