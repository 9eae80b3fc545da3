/** Detects members of a transaction's JSON that aren't part of the transaction: a reader would believe that they are signed. */

import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { contractTypeByName } from "../../protocol/contract-types.js";
import { toNeutral } from "../../protocol/dialect.js";
import { PQAuthSig, SmartContractABI, TransactionContract, TransactionRaw } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { shorten } from "../values/bytes-text.js";

/** A transaction's own members, those that nodes add, and the envelope's. */
const MEMBERS: ReadonlySet<string> = new Set([
	"visible",
	"txID",
	"raw_data",
	"raw_data_hex",
	"signature",
	"ret",
	"contract_address",
	"pq_auth_sig",
	"result",
	"energy_used",
	"energy_penalty",
	"constant_result",
	"logs",
	"internal_transactions",
	"coin",
]);

/** Refuses unsigned members. @throws {Failure} `transaction_invalid` naming them */
export function refuseUnsigned(record: JsonRecord): void {
	const own = Object.keys(record).filter((name) => !MEMBERS.has(name));
	const inner = unreadMembers(TransactionRaw, member(record, "raw_data"), "raw_data");
	const signatures = unreadMembers(PQAuthSig, member(record, "pq_auth_sig"), "pq_auth_sig");
	const [first, ...others] = [...own, ...inner, ...signatures];
	if (first === undefined) return;
	const more = others.length > 0 ? ` (and ${others.length} more)` : "";
	throw new Failure(
		"transaction_invalid",
		`the JSON has the member ${shorten(first)}${more}, which is no part of the transaction and would not be signed`,
		{
			details: { members: [first, ...others].slice(0, MAX_NAMED_MEMBERS).map(shorten) },
			hint: 'leave it out, or put it beside the transaction: {"transaction":{…},…}',
		},
	);
}

const MAX_NAMED_MEMBERS = 20;

/**
 * Paths of members that a message doesn't have. Entries of a contract's interface may have more members than the network stores,
 * since clients send them as compilers write them.
 */
function unreadMembers(type: MessageType<Message>, json: Json | undefined, path: string): string[] {
	if (Array.isArray(json)) return json.flatMap((item: Json) => unreadMembers(type, item, path));
	if (!isRecord(json) || type === SmartContractABI) return [];
	return Object.entries(json).flatMap(([name, value]) => {
		const field = type.fields.find((candidate) => candidate.name === toNeutral(name));
		const place = `${path}.${name}`;
		if (!field) return [place];
		if (type === TransactionContract && field.name === "parameter")
			return unreadInParameter(json, value, place);
		const inner = field.label === "map" ? undefined : field.message?.();
		return inner ? unreadMembers(inner, value, place) : [];
	});
}

/** The same for a contract's parameter, which is decoded in its member `value`. */
function unreadInParameter({ type: name }: JsonRecord, parameter: Json, path: string): string[] {
	if (!isRecord(parameter)) return [];
	const type = contractTypeByName(toNeutral(String(name)))?.message;
	return Object.entries(parameter).flatMap(([key, value]) => {
		if (key === "type_url") return [];
		if (key !== "value") return [`${path}.${key}`];
		return type ? unreadMembers(type, value, `${path}.value`) : [];
	});
}
