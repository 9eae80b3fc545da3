/**
 * Transactions from JSON (protocol/http-endpoints §2.1): the bytes are rebuilt from `raw_data`; `raw_data_hex`, `txID` and members
 * that the schema doesn't know are ignored.
 */

import { toHex } from "../bytes.js";
import { contractTypeByName } from "../contract-types.js";
import { Transaction } from "../messages.js";
import { SignedTransaction } from "../transaction.js";
import { NamedError, nullPointer } from "./exceptions.js";
import { decodeFields } from "./field-decoder.js";
import { parseLenient, parseLenientObject } from "./lenient-parser.js";
import { mapOrderedJson } from "./map-ordered-json.js";
import { valueText } from "./member-readers.js";
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "./value.js";

/**
 * Packs a transaction.
 * @throws {NamedError} JSONException, ClassCastException; NullPointerException if `raw_data` is missing or a field
 * doesn't decode
 */
export function packTransaction(text: string, visible: boolean): SignedTransaction {
	const object = parseLenientObject(text);
	const raw = objectOf(object.get("raw_data"));
	const contracts = arrayOf(raw.get("contract")).flatMap((contract) => packContract(contract, visible));
	const packed = new Map(object);
	packed.set("raw_data", new Map(raw).set("contract", contracts));
	try {
		return new SignedTransaction(decodeFields(Transaction, mapOrderedJson(packed), visible));
	} catch (error) {
		// Clients learn of a field that doesn't decode by the missing transaction.
		if (error instanceof NamedError && error.name === "JsonFormat$ParseException") throw nullPointer();
		throw error;
	}
}

/** A contract whose parameter doesn't decode, or that has no type, is left out. */
function packContract(value: JsonValue, visible: boolean): readonly JsonValue[] {
	try {
		const contract = objectOf(value);
		const type = contractTypeByName(valueText(contract.get("type")) ?? "");
		const parameter = objectOf(contract.get("parameter"));
		if (!type?.message) return [];
		const message = decodeFields(type.message, mapOrderedJson(objectOf(parameter.get("value"))), visible);
		const bytes = toHex(type.message.encode(message));
		return [new Map(contract).set("parameter", new Map(parameter).set("value", bytes))];
	} catch (error) {
		if (error instanceof NamedError) return [];
		throw error;
	}
}

function objectOf(value: JsonValue | undefined): JsonObject {
	if (isJsonObject(value)) return value;
	if (typeof value === "string") return parseLenientObject(value);
	if (value === undefined || value === null) throw nullPointer();
	throw classCast(value, "JSONObject");
}

function arrayOf(value: JsonValue | undefined): JsonArray {
	if (isJsonArray(value)) return value;
	if (typeof value === "string") return arrayOf(parseLenient(value));
	if (value === undefined || value === null) throw nullPointer();
	throw classCast(value, "JSONArray");
}

function classCast(value: JsonValue, wanted: string): NamedError {
	const given = isJsonArray(value) ? "JSONArray" : isJsonObject(value) ? "JSONObject" : typeof value;
	return new NamedError("ClassCastException", `class ${given} cannot be cast to class ${wanted}`);
}
