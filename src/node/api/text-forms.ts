/** Requests of one or two members read as text, from the body's object or from parameters (protocol/http §3.2). */

import { toHex, utf8 } from "../../protocol/bytes.js";
import { nullPointer } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../protocol/json/hex-text.js";
import { type Member, mapOrderedJson, mapOrderedObject } from "../../protocol/json/map-ordered-json.js";
import { readLong, readTextMember } from "../../protocol/json/member-readers.js";
import { quoteMapOrdered } from "../../protocol/json/quoting.js";
import { withMember } from "../../protocol/json/value.js";
import { BytesMessage } from "../../protocol/messages.js";
import type { ParameterReader, RequestForm } from "./endpoint.js";
import { parseAddressText, parseLong } from "./parameters.js";
import type { RequestInput } from "./request.js";

/** A member of the body's object, or a parameter. */
export function textOf(input: RequestInput, name: string): string | null {
	return input.mode === "query" ? input.parameters.get(name) : readTextMember(input.object, name);
}

/** The text itself; null if missing. */
export function textRequest(name: string): RequestForm<string | null> {
	return { fields: [{ name, type: "string" }], read: (input) => textOf(input, name) };
}

/** An address: Base58Check if visible, otherwise hex; no bytes for an invalid visible one. */
export function addressRequest(name: string): RequestForm<Uint8Array> {
	return {
		fields: [{ name, type: "address" }],
		read: (input) => {
			const { visible, library } = input;
			return parseAddressText(textOf(input, name), visible, library);
		},
	};
}

const VALUE = { name: "value", type: "address" };

/**
 * The address in `value`. A body is decoded like any other, with bytes in hex; a visible address is converted to hex first.
 */
export const valueRequest: RequestForm<Uint8Array> = {
	fields: [VALUE],
	read: (input) => {
		const { visible, library } = input;
		if (input.mode === "query") return parseAddressText(input.parameters.get("value"), visible, library);
		if (!visible) return input.fields(BytesMessage).value;
		const { object } = input;
		const text = readTextMember(object, "value");
		const members =
			text === null ? object : withMember(object, "value", toHex(parseAddressText(text, true, library)));
		return decodeFields(BytesMessage, mapOrderedJson(members), false, library).value;
	},
};

/** Likewise, with a parameter wrapped in an object and decoded like a body. */
export const objectValueRequest: RequestForm<Uint8Array> = {
	fields: [VALUE],
	read: (input) => {
		if (input.mode !== "query" || input.visible) return valueRequest.read(input);
		const text = input.parameters.get("value");
		const members: Member[] = text === null ? [] : [["value", quoteMapOrdered(text)]];
		return decodeFields(BytesMessage, mapOrderedObject(members, input.library), false, input.library).value;
	},
};

/** A name: plain if visible, otherwise hex. */
export function nameRequest(name: string): RequestForm<Uint8Array> {
	return {
		fields: [{ name, type: "text" }],
		read: (input) => {
			const { visible } = input;
			return nameBytes(textOf(input, name), visible);
		},
	};
}

/** A name as a parameter. */
export const nameParameter: ParameterReader = (parameters, name, visible) =>
	nameBytes(parameters.get(name), visible);

function nameBytes(text: string | null, visible: boolean): Uint8Array {
	if (!visible) return decodeHexText(text);
	if (text === null) throw nullPointer();
	return utf8(text);
}

/** A required number: a member, which may be text, or a parameter. */
export function numberRequest(name: string): RequestForm<bigint> {
	return {
		fields: [{ name, type: "int64" }],
		read: (input) =>
			input.mode === "query" ? parseLong(input.parameters.get(name)) : readLong(input.object, name, true),
	};
}
