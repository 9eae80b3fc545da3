/** `coin message …`: signed messages (protocol/wallet-formats §3). */

import { readFile } from "node:fs/promises";
import { Flags, type Interfaces } from "@oclif/core";
import { checkRecoverable, type KeystoreEntry } from "../keystore/keystore.js";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, toHex, utf8 } from "../protocol/bytes.js";
import { command, type Terminal } from "../terminal/base/command-row.js";
import { yesFlag } from "../terminal/flags/acting-flags.js";
import { keystoreFlags, optional, passwordFlags, required } from "../terminal/flags/flags.js";
import { readStdin, stdinIsPiped } from "../terminal/input/stdin.js";
import { hashSignature } from "../terminal/keys/agent-signature.js";
import { AT_SIGNER, Devices, onDevice } from "../terminal/keys/devices.js";
import { agree, present } from "../terminal/prompt/confirmation.js";
import { canAsk } from "../terminal/prompt/controlling-terminal.js";
import type { Settings } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import { messageDigest } from "../wallet/signers/ledger.js";
import { namesDevice } from "../wallet/signers/signer.js";
import {
	type MessageScheme,
	messageHash,
	messageHashV1,
	parseHash,
	signatureText,
	signerOf,
	typedDataDigest,
} from "../wallet/transaction/signed-message.js";
import { accountNamed, activeAccount, keyNamed } from "../wallet/transaction/signing.js";
import { parseHexBytes } from "../wallet/values/bytes-text.js";

/** Flags that select how a message is hashed. */
const messageFlags = {
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

/** The hash to sign, and its scheme. */
interface HashedMessage {
	readonly scheme: MessageScheme;
	readonly hash: Uint8Array;
	/** The message itself, if the second scheme's prefix is signed. */
	readonly message?: Uint8Array;
	/** The structured data, as JSON. */
	readonly document?: string;
	/** The message for review, by line. */
	readonly shown: readonly string[];
	/** Number of characters not shown. */
	readonly leftOut: number;
	/** As for typed data. */
	readonly allowsAll?: boolean;
}

/** Maximum characters of a message shown before signing. */
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

/**
 * Hashes a message.
 * @param text as typed: a text, `0x…`, `@file`, or `-`; undefined: piped standard input
 * @throws {Failure} `usage`, `bad_value`, `stdin_empty`
 */
async function hashedMessage(text: string | undefined, flags: MessageFlags): Promise<HashedMessage> {
	if (flags.typed !== undefined) {
		if (text !== undefined) throw new Failure("conflicting_flags", "give a message or --typed, not both");
		const document = await documentText(flags.typed);
		const { hash, fields, allowsAll } = typedDataDigest(document);
		return { scheme: "typed", hash, document, allowsAll, ...shownOf(fields.join("\n")) };
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

/** A final newline belongs to the pipe, not to the message. */
async function fromStdin(): Promise<string> {
	const text = await readStdin("the message");
	if (text === "") throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
	return text.replace(/\r?\n$/, "");
}

export const MessageSign = command({
	summary: "Sign a message with a key of the keystore",
	description:
		"A text, bytes as 0x…, @file for the bytes of a file, or - for standard input. A hash that is signed as it is " +
		"(--hash) can be that of a transaction, so it needs agreement.",
	examples: ["<%= config.bin %> message sign 'I own this account' --json"],
	args: {
		text: optional("the message"),
	},
	flags: {
		...messageFlags,
		...passwordFlags,
		...yesFlag,
		signer: Flags.string({
			description: "key that signs (default: the active wallet's), or ledger[:<index or path>]",
			helpValue: "<wallet>",
		}),
		from: Flags.string({
			description: "account whose own key signs",
			helpValue: "<account>",
			env: "COIN_FROM",
		}),
	},
	run: async ({ args, flags, ...terminal }) => {
		const settings = await terminal.settings();
		const hashed = await hashedMessage(args.text, flags);
		const { scheme, hash, shown, leftOut, message, allowsAll } = hashed;
		if (leftOut > 0) {
			const summary = [...shown, "  all of it is signed"];
			const why = `${leftOut} of its characters are not shown`;
			await agree(2, summary, flags.yes, `Sign it with the ${leftOut} characters that are not shown?`, why);
		}
		if (allowsAll) {
			const why = "whoever has the signature lets the spender move everything of the token";
			await agree(2, shown, flags.yes, "Sign this permit?", why);
		}
		const device = flags.signer ?? flags.from;
		if (device !== undefined && namesDevice(device)) {
			if (message === undefined)
				throw new Failure("bad_value", "a device signs texts only, by the scheme v2");
			return signOnDevice(terminal, settings, device, message, { hash, shown });
		}
		const name = flags.signer ?? toBase58Check(await activeAccount(settings));
		const key = await keyNamed(settings, name);
		checkRecoverable(key, "a signed message");
		if (key.signer) return signAtSigner(terminal, key, hashed);
		if (scheme === "hash") {
			const summary = [
				`${key.name} (${key.base58}) signs the hash ${toHex(hash)}`,
				"  whatever has this hash, a transaction too, is then signed",
			];
			await agree(2, summary, flags.yes, "Sign?");
		}
		const what = `the message (${scheme})`;
		const words = { hash, what, whatUnlocked: `the hash ${toHex(hash)}`, shown };
		const signature = await hashSignature(terminal, key, words, terminal.passwordSource(settings));
		terminal.print.record({
			signature: signatureText(signature),
			address: key.base58,
			hash: toHex(hash),
			scheme,
		});
	},
});

async function signAtSigner(
	{ chatty, print, note }: Terminal,
	key: KeystoreEntry,
	{ scheme, hash, message, document }: HashedMessage,
): Promise<void> {
	const bytes = document === undefined ? message : utf8(document);
	if (bytes === undefined)
		throw new Failure("bad_value", "a signer signs texts by the scheme v2, and structured data, alone");
	const { messageOfSigner } = await import("../wallet/signers/remote.js");
	const kind = document === undefined ? "text" : "typed";
	const signature = await onDevice(chatty, () => messageOfSigner(key, kind, bytes, hash), AT_SIGNER);
	note(`${key.name} signs (at its signer) the hash ${toHex(hash)}`);
	print.record({
		signature: signatureText(signature),
		address: key.base58,
		hash: toHex(hash),
		scheme,
	});
}

async function signOnDevice(
	{ chatty, print, note }: Terminal,
	settings: Settings,
	name: string,
	message: Uint8Array,
	{ hash, shown }: { readonly hash: Uint8Array; readonly shown: readonly string[] },
): Promise<void> {
	const devices = new Devices();
	try {
		const device = await devices.open(settings, name);
		const lines = [
			`${device.name} (${device.base58}) signs the message (v2); compare on its screen:`,
			...shown,
			`or, by older versions of its app, the beginning and end of ${messageDigest(message)}`,
		];
		if (canAsk()) await present(lines);
		else for (const line of lines) note(line);
		const signature = await onDevice(chatty, () => device.signMessage(message));
		const address = device.base58;
		print.record({ signature: signatureText(signature), address, hash: toHex(hash), scheme: "v2" });
	} finally {
		await devices.close();
	}
}

export const MessageVerify = command({
	summary: "Tell who signed a message, or whether an account did",
	description:
		"Without a message, or with -, it is read from standard input. With --address the answer is true or false, and " +
		"false exits with 1.",
	examples: ["<%= config.bin %> message verify 'I own this' 0x5f1a… --address ann"],
	usage: "message verify [text] <signature>",
	args: {
		text: required("the message; alone: the signature"),
		signature: optional("65 bytes as hex"),
	},
	flags: {
		...messageFlags,
		address: Flags.string({ description: "account that should have signed", helpValue: "<account>" }),
	},
	run: async ({ args, flags, settings, print }) => {
		const [text, signature] =
			args.signature === undefined ? [undefined, args.text] : [args.text, args.signature];
		const { hash } = await hashedMessage(text, flags);
		const signer = signerOf(hash, signature);
		if (flags.address === undefined) return print.scalar(toBase58Check(signer));
		const expected = await accountNamed(await settings(), flags.address);
		const matches = equalBytes(signer, expected);
		print.scalar(matches);
		if (!matches) process.exitCode = 1;
	},
});
