/**
 * Messages of clients: texts and typed structured data that a policy rule allows. Anything that isn't understood to the last byte is
 * refused.
 *
 * Contract: a message's signature is never valid for a transaction, a block, a greeting or a vote. Those sign a SHA-256 hash;
 * a message's signs the Keccak-256 hash of bytes that begin with 0x19, so confusing them would need a collision of the two hash functions
 * in all 32 bytes. Nor can one kind of message pass as the other: 0x19 is followed by a letter of the prefix, or by 0x01. The length
 * after the prefix is unambiguous, since its digits and the text grow together.
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

/** A text is hashed as it is; typed data by the domain and types that it contains. */
export type MessageKind = "text" | "typed";

/** Longer than anyone would read. */
const MAX_MESSAGE_BYTES = 16_384;
/** Limits hashing to about ten milliseconds, during which a witness's slot has to wait. */
const TYPED_DATA: TypedDataBudget = { values: 1_024, typeCharacters: 1 << 16 };
const LOGGED_CHARACTERS = 256;

/** The messages that a rule allows. */
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
	/** The hash that is signed. */
	readonly hash: Uint8Array;
	/** For the log. */
	readonly facts: Readonly<Record<string, string>>;
	/** @returns why a rule doesn't allow it, as a clause; undefined if it does */
	readonly refusedBy: (rule: MessageRule) => string | undefined;
}

/** Reads a message. @throws {UnreadableError} for one that can't be evaluated */
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

/** Reads an address in any form that wallets accept. */
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
