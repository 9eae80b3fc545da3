/** The base of the commands on signed messages: which bytes a message is, and what of it is signed (sheet 11 §3.10). */

import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { utf8 } from "../protocol/bytes.js";
import { parseHexBytes } from "../wallet/bytes-text.js";
import { Failure } from "../wallet/failure.js";
import { type MessageScheme, messageHash, messageHashV1, parseHash } from "../wallet/signed-message.js";
import { typedDataHash } from "../wallet/typed-data.js";
import { CoinCommand } from "./coin-command.js";
import { keystoreFlags } from "./flags.js";
import { readStdin, stdinIsPiped } from "./stdin.js";

/** Flags that say how a message is hashed. */
export const messageFlags = {
	...keystoreFlags,
	scheme: Flags.option({
		options: ["v1", "v2"] as const,
		description: "v2: any text; v1: bytes as hex, as older wallets sign them",
		default: "v2" as const,
	})(),
	typed: Flags.string({
		description: "structured data instead of a text: JSON, @file, or - for standard input",
		helpValue: "<json>",
		exclusive: ["hash"],
	}),
	hash: Flags.boolean({ description: "the message is a 32-byte hash, used as it is" }),
};

export interface MessageFlags {
	readonly scheme: "v1" | "v2";
	readonly typed?: string | undefined;
	readonly hash: boolean;
}

/** What is signed, and by which scheme. */
export interface HashedMessage {
	readonly scheme: MessageScheme;
	readonly hash: Uint8Array;
}

export abstract class MessageCommand extends CoinCommand {
	/**
	 * Hashes a message.
	 * @param text as typed: a text, `0x…`, `@file`, or `-`; undefined: standard input where that is piped
	 * @throws {Failure} `usage`, `bad_value`, `stdin_empty`
	 */
	protected async hashed(text: string | undefined, flags: MessageFlags): Promise<HashedMessage> {
		if (flags.typed !== undefined) {
			if (text !== undefined) throw new Failure("conflicting_flags", "give a message or --typed, not both");
			return { scheme: "typed", hash: typedDataHash(await documentText(flags.typed)) };
		}
		const source = text ?? (stdinIsPiped() ? "-" : undefined);
		if (source === undefined)
			throw new Failure("usage", "no message: give it as an argument", { hint: "see --help" });
		if (flags.hash) return { scheme: "hash", hash: parseHash(await messageText(source)) };
		if (flags.scheme === "v1") {
			return { scheme: "v1", hash: messageHashV1(parseHexBytes(await messageText(source))) };
		}
		return { scheme: "v2", hash: messageHash(await messageBytes(source)) };
	}
}

async function documentText(source: string): Promise<string> {
	if (source === "-") return readStdin("the typed data");
	return source.startsWith("@") ? readFile(source.slice(1), "utf8") : source;
}

async function messageText(source: string): Promise<string> {
	if (source === "-") return fromStdin();
	return source.startsWith("@") ? (await readFile(source.slice(1), "utf8")).trim() : source;
}

async function messageBytes(source: string): Promise<Uint8Array> {
	if (source.startsWith("@")) return readFile(source.slice(1));
	const text = source === "-" ? await fromStdin() : source;
	return /^0x/i.test(text) ? parseHexBytes(text) : utf8(text);
}

/** One line end belongs to the pipe, not to the message. */
async function fromStdin(): Promise<string> {
	const text = await readStdin("the message");
	if (text === "") throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
	return text.replace(/\r?\n$/, "");
}
