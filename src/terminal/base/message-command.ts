/** The base of the commands on signed messages: which bytes a message is, and what of it is signed (protocol/wallet-formats §3). */

import { readFile } from "node:fs/promises";
import { Flags, type Interfaces } from "@oclif/core";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { Failure } from "../../wallet/failure.js";
import {
	type MessageScheme,
	messageHash,
	messageHashV1,
	parseHash,
} from "../../wallet/transaction/signed-message.js";
import { typedDataDigest } from "../../wallet/transaction/typed-data.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import { keystoreFlags } from "../flags/flags.js";
import { readStdin, stdinIsPiped } from "../input/stdin.js";
import { CoinCommand } from "./coin-command.js";

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

type MessageFlags = Interfaces.InferredFlags<typeof messageFlags>;

/** What is signed, and by which scheme. */
interface HashedMessage {
	readonly scheme: MessageScheme;
	readonly hash: Uint8Array;
	/** The message itself where it is signed under the prefix of the second scheme. */
	readonly message?: Uint8Array;
	/** The message as a person can check it, line by line. */
	readonly shown: readonly string[];
	/** Characters that are not shown. */
	readonly leftOut: number;
}

/** Characters of a message that are shown before it is signed. */
const SHOWN = 16_000;

function shownOf(text: string): Pick<HashedMessage, "shown" | "leftOut"> {
	const leftOut = Math.max(0, text.length - SHOWN);
	const lines = text.slice(0, SHOWN).split("\n");
	const more = leftOut > 0 ? [`(and ${leftOut} more characters that are not shown)`] : [];
	return { shown: [...lines, ...more], leftOut };
}

function shownBytes(bytes: Uint8Array): Pick<HashedMessage, "shown" | "leftOut"> {
	const text = Buffer.from(bytes).toString("utf8");
	const isText = !text.includes("\ufffd") && !/[\p{Cc}\p{Cf}]/u.test(text.replace(/[\n\r\t]/g, ""));
	return shownOf(isText ? text : `0x${toHex(bytes)}`);
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
			const document = await documentText(flags.typed);
			const { hash, fields } = typedDataDigest(document);
			return { scheme: "typed", hash, ...shownOf(fields.join("\n")) };
		}
		const source = text ?? (stdinIsPiped() ? "-" : undefined);
		if (source === undefined)
			throw new Failure("usage", "no message: give it as an argument", { hint: "see --help" });
		if (flags.hash) {
			const hash = parseHash(await messageText(source));
			return { scheme: "hash", hash, shown: [`0x${toHex(hash)}`], leftOut: 0 };
		}
		if (flags.scheme === "v1") {
			const bytes = parseHexBytes(await messageText(source));
			return { scheme: "v1", hash: messageHashV1(bytes), ...shownBytes(bytes) };
		}
		const bytes = await messageBytes(source);
		return { scheme: "v2", message: bytes, hash: messageHash(bytes), ...shownBytes(bytes) };
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
