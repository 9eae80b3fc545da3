/**
 * Transactions from JSON (protocol/http-endpoints §2.1): bytes are rebuilt from `raw_data`; `raw_data_hex`,
 * `txID` and unknown members are ignored.
 */

import { toHex } from "../bytes.js";
import type { UnknownFields } from "../codec/unknown-fields.js";
import { contractTypeByName } from "../contract-types.js";
import { PostQuantumOfTransaction, Transaction } from "../messages.js";
import { transactionFieldsOf } from "../post-quantum/fields.js";
import { SignedTransaction } from "../transaction.js";
import { hasWireName, NamedError, nullPointer } from "./exceptions.js";
import { decodeFields } from "./field-decoder.js";
import { type JsonLibrary, jsonLibrary, parseJsonObject } from "./json-library.js";
import { mapOrderedJson } from "./map-ordered-json.js";
import { valueText } from "./member-readers.js";
import {
	isJsonArray,
	isJsonObject,
	type JsonArray,
	type JsonObject,
	type JsonValue,
	withMember,
	withoutMember,
} from "./value.js";

const POST_QUANTUM = "pq_auth_sig";

/**
 * Packs a transaction.
 * @param postQuantum whether to read `pq_auth_sig`, as on Nile (protocol/schema §2.3)
 * @throws {NamedError} JSONException, ClassCastException; NullPointerException if `raw_data` is missing or a
 * field doesn't decode
 */
export function packTransaction(
	text: string,
	visible: boolean,
	library: JsonLibrary = jsonLibrary,
	postQuantum = false,
): SignedTransaction {
	const object = parseJsonObject(text, library);
	const raw = objectOf(object.get("raw_data"), library);
	const contracts = arrayOf(raw.get("contract"), library).flatMap((contract) =>
		packContract(contract, visible, library),
	);
	// Remove the known member: skipping it as an unknown one fails for empty lists.
	const known = postQuantum ? withoutMember(object, POST_QUANTUM) : object;
	const packed = withMember(known, "raw_data", withMember(raw, "contract", contracts));
	try {
		const message = decodeFields(Transaction, mapOrderedJson(packed), visible, library);
		if (postQuantum) message.$unknown = packPostQuantum(object, visible, library);
		return new SignedTransaction(message);
	} catch (error) {
		// Clients see an undecodable field as a missing transaction.
		if (hasWireName(error, "JsonFormat$ParseException")) throw nullPointer();
		throw error;
	}
}

/** A transaction's `pq_auth_sig`. @throws {NamedError} if it or an element is malformed */
export function packPostQuantum(
	object: JsonObject,
	visible: boolean,
	library: JsonLibrary,
): UnknownFields | undefined {
	const value = object.get(POST_QUANTUM);
	if (value === undefined) return undefined;
	if (value === null) throw nullPointer();
	const member = mapOrderedJson(new Map([[POST_QUANTUM, value]]));
	const { pq_auth_sig } = decodeFields(PostQuantumOfTransaction, member, visible, library);
	return transactionFieldsOf(pq_auth_sig);
}

/** Contracts without a type or with an undecodable parameter are dropped. */
function packContract(value: JsonValue, visible: boolean, library: JsonLibrary): readonly JsonValue[] {
	try {
		const contract = objectOf(value, library);
		const type = contractTypeByName(valueText(contract.get("type")) ?? "");
		const parameter = objectOf(contract.get("parameter"), library);
		if (!type?.message) return [];
		const fields = mapOrderedJson(objectOf(parameter.get("value"), library));
		const message = decodeFields(type.message, fields, visible, library);
		const bytes = toHex(type.message.encode(message));
		return [withMember(contract, "parameter", withMember(parameter, "value", bytes))];
	} catch (error) {
		if (error instanceof NamedError) return [];
		throw error;
	}
}

function objectOf(value: JsonValue | undefined, library: JsonLibrary): JsonObject {
	if (isJsonObject(value)) return value;
	if (typeof value === "string") return parseJsonObject(value, library);
	if (value === undefined || value === null) throw nullPointer();
	throw classCast(value, "JSONObject");
}

function arrayOf(value: JsonValue | undefined, library: JsonLibrary): JsonArray {
	if (isJsonArray(value)) return value;
	if (typeof value === "string") return arrayOf(library.parse(value), library);
	if (value === undefined || value === null) throw nullPointer();
	throw classCast(value, "JSONArray");
}

function classCast(value: JsonValue, wanted: string): NamedError {
	const given = isJsonArray(value) ? "JSONArray" : isJsonObject(value) ? "JSONObject" : typeof value;
	return new NamedError("ClassCastException", `class ${given} cannot be cast to class ${wanted}`);
}
