/**
 * Messages of clients: texts and structured data that a rule of the policies allows. Whatever isn't understood to the last byte is
 * refused.
 *
 * Contract: a message's signature is never one of a transaction, a block, a greeting or a vote. Those are signatures of SHA-256;
 * a message's is of Keccak-256 of bytes that begin with 0x19, so one would fit the other only where two hash functions met in all
 * 32 bytes. Nor does one kind of message pass as the other: 0x19 is followed by a letter of the prefix, or by 0x01. The length that
 * stands behind the prefix has one reading, since its digits and the text grow together.
 */

import { hasRightCase } from "../../abi/address-case.js";
import {
	hashTypedData,
	type TypedDataBudget,
	type TypedDataDigest,
	TypedDataError,
} from "../../abi/typed-data.js";
import { addressOfText, toBase58Check } from "../../protocol/address.js";
import { messageHash } from "../../protocol/signature.js";
import { UnreadableError } from "./transaction-reading.js";

/** A text is hashed as it is; structured data by the domain and types that it names. */
export type MessageKind = "text" | "typed";

/** More than a person reads. */
const MAX_MESSAGE_BYTES = 16_384;
/** Hashed in some ten milliseconds: meanwhile a witness's slot waits. */
const TYPED_DATA: TypedDataBudget = { values: 1_024, typeCharacters: 1 << 16 };
const LOGGED_CHARACTERS = 256;

/** What a rule allows. */
export interface MessageRule {
	readonly texts: ReadonlySet<string>;
	readonly prefixes: readonly string[];
	readonly typed: readonly {
		readonly chainId: bigint;
		/** In Base58. */
		readonly contracts: ReadonlySet<string>;
		/** Primary types. */
		readonly types: ReadonlySet<string>;
	}[];
}

export interface JudgedMessage {
	/** What is signed. */
	readonly hash: Uint8Array;
	/** For the log. */
	readonly facts: Readonly<Record<string, string>>;
	/** @returns why a rule doesn't allow it, as half a sentence */
	readonly refusedBy: (rule: MessageRule) => string | undefined;
}

/** Reads a message. @throws {UnreadableError} for one that nobody could judge */
export function readMessage(kind: MessageKind, bytes: Uint8Array): JudgedMessage {
	if (bytes.length > MAX_MESSAGE_BYTES)
		throw new UnreadableError(`the message has more than ${MAX_MESSAGE_BYTES} bytes`);
	const text = textOf(bytes);
	return kind === "text" ? readText(text, bytes) : readTyped(text);
}

function textOf(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new UnreadableError("the message is not a text in UTF-8");
	}
}

function readText(text: string, bytes: Uint8Array): JudgedMessage {
	if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text.replace(/[\n\r\t]/g, "")))
		throw new UnreadableError("the message holds characters that nobody sees");
	return {
		hash: messageHash(bytes),
		facts: { kind: "text", text: text.slice(0, LOGGED_CHARACTERS) },
		refusedBy: ({ texts, prefixes }) =>
			texts.has(text) || prefixes.some((prefix) => text.startsWith(prefix))
				? undefined
				: "the text is not one of its texts, and begins with none of its prefixes",
	};
}

/** In any form that a wallet takes. */
function addressIn(text: string): Uint8Array | undefined {
	const read = addressOfText(text, hasRightCase);
	return typeof read === "string" ? undefined : read;
}

function readTyped(text: string): JudgedMessage {
	let digest: TypedDataDigest;
	try {
		digest = hashTypedData(text, addressIn, TYPED_DATA);
	} catch (error) {
		if (error instanceof TypedDataError || error instanceof RangeError || error instanceof SyntaxError)
			throw new UnreadableError("the typed data can't be hashed");
		throw error;
	}
	const { hash, primaryType, domain } = digest;
	const { chainId, verifyingContract } = domain;
	if (chainId === undefined || verifyingContract === undefined)
		throw new UnreadableError("the domain of the typed data lacks chainId or verifyingContract");
	const contract = toBase58Check(verifyingContract);
	return {
		hash,
		facts: { kind: "typed", chain: String(chainId), contract, type: primaryType.slice(0, LOGGED_CHARACTERS) },
		refusedBy: ({ typed }) =>
			typed.some(
				(each) => each.chainId === chainId && each.contracts.has(contract) && each.types.has(primaryType),
			)
				? undefined
				: `${primaryType.slice(0, 64)} of ${contract} on the chain ${chainId} is not of its typed data`,
	};
}
