/**
 * Signs with a Ledger device, through the vendor's library for the network's app. A signature is only used if it recovers to the
 * address that the device gave.
 */

import { addressFromPublicKey, toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromHex, fromUtf8, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { sha256 } from "../../protocol/hash.js";
import { TransferAssetContract, TransferContract, TriggerSmartContract } from "../../protocol/messages.js";
import { recoverAddress, SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { Failure, type FailureCode } from "../failure.js";
import { operationName } from "../permission/operations.js";
import { tokenCallText } from "../token/token-call.js";
import { messageHash } from "../transaction/signed-message.js";
import { formatCoin } from "../values/amount.js";
import type { DeviceSigner } from "./signer.js";

/** The part of the vendor's library that is used; hexadecimal is without 0x. */
export interface LedgerApp {
	getAddress(path: string, display?: boolean): Promise<{ readonly publicKey: string }>;
	getAppConfiguration(): Promise<{ readonly version: string; readonly signByHash: boolean }>;
	signTransaction(path: string, rawHex: string, tokenSignatures: string[]): Promise<string>;
	signTransactionHash(path: string, hashHex: string): Promise<string>;
	signPersonalMessage(path: string, messageHex: string): Promise<string>;
}

interface LedgerConnection {
	readonly app: LedgerApp;
	close(): Promise<void>;
}

/** Opens the device. */
export type ConnectLedger = () => Promise<LedgerConnection>;

/** Limit in bytes of a message: the device accepts any length in chunks, but nobody reads more than this on it. */
const MAX_MESSAGE = 64 * 1024;

/**
 * Opens the device and requests the address of a key.
 * @param name the device as named by the user
 * @param path derivation path without `m/`
 * @throws {Failure} `signer_unavailable` if the device is missing or locked, or has another app open
 */
export async function openLedger(name: string, path: string, connect: ConnectLedger): Promise<DeviceSigner> {
	const { app, close } = await translated(connect());
	try {
		const { publicKey } = await translated(app.getAddress(path));
		const { signByHash } = await translated(app.getAppConfiguration());
		return new LedgerSigner(name, path, addressOf(publicKey), signByHash === true, app, close);
	} catch (error) {
		await close();
		throw error;
	}
}

function addressOf(publicKeyHex: string): Uint8Array {
	if (!/^04[0-9a-f]{128}$/i.test(publicKeyHex))
		throw new Failure("signer_unavailable", "the device answered with no public key", { retry: "changed" });
	return addressFromPublicKey(fromHex(publicKeyHex));
}

/** Size in bytes of a chunk sent to the device; the app parses raw data field by field, and no field may be split. */
const PIECE = 250;

/** Whether every field of the raw data fits into one chunk, so that the app can parse the transaction. */
export function fitsDevice(rawBytes: Uint8Array): boolean {
	for (let at = 0; at < rawBytes.length; ) {
		const size = fieldSize(rawBytes, at);
		if (size > PIECE) return false;
		at += size;
	}
	return true;
}

/** Size in bytes of the field at an offset: either a varint, or a length followed by that many bytes. */
function fieldSize(bytes: Uint8Array, start: number): number {
	const tag = varint(bytes, start);
	const body = varint(bytes, tag.end);
	return (tag.value & 7n) === 0n ? body.end - start : body.end - start + Number(body.value);
}

function varint(bytes: Uint8Array, start: number): { readonly value: bigint; readonly end: number } {
	let value = 0n;
	for (let at = start; at < bytes.length && at < start + 10; at++) {
		const byte = bytes[at] as number;
		value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
		if (byte < 0x80) return { value, end: at + 1 };
	}
	return { value, end: bytes.length };
}

/** The lines that the user should compare with the device's screen. */
function screenLines(transaction: SignedTransaction): string[] {
	const from = toBase58Check(transaction.owner);
	const lines = fitsDevice(transaction.rawBytes) ? contractLines(transaction) : undefined;
	if (lines) return [...lines.map(row), row(["from", from])];
	const type = contractTypeById(transaction.contract?.type ?? -1);
	return [
		row(["kind", type ? operationName(type.id) : "unknown"]),
		row(["from", from]),
		row(["hash", transaction.idHex.toUpperCase()]),
	];
}

type Row = readonly [name: string, value: string];

function row([name, value]: Row): string {
	return `  on device   ${name} ${value}`;
}

/** Lines for contract types that the app can parse; undefined for others, for which it shows the hash. */
function contractLines(transaction: SignedTransaction): Row[] | undefined {
	let parameter: unknown;
	try {
		parameter = transaction.parameter;
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
	if (parameter instanceof TransferContract) {
		return [
			["amount", formatCoin(parameter.amount)],
			["to", toBase58Check(parameter.to_address)],
		];
	}
	if (parameter instanceof TransferAssetContract) {
		return [
			["token", fromUtf8(parameter.asset_name)],
			["amount", `${parameter.amount} units`],
			["to", toBase58Check(parameter.to_address)],
		];
	}
	if (parameter instanceof TriggerSmartContract) {
		const call = tokenCallText(parameter.data);
		return [
			["contract", toBase58Check(parameter.contract_address)],
			...(call === undefined ? [] : [["call", call] as const]),
			...(parameter.call_value > 0n ? [["amount", formatCoin(parameter.call_value)] as const] : []),
		];
	}
	return undefined;
}

class LedgerSigner implements DeviceSigner {
	readonly kind = "device";
	readonly base58: string;

	constructor(
		readonly name: string,
		private readonly path: string,
		readonly address: Uint8Array,
		/** Whether the device's setting allows signing what it can't show ("sign by hash"). */
		private readonly signsHashes: boolean,
		private readonly app: LedgerApp,
		readonly close: () => Promise<void>,
	) {
		this.base58 = toBase58Check(address);
	}

	shows(transaction: SignedTransaction): readonly string[] {
		return screenLines(transaction);
	}

	async signTransaction(transaction: SignedTransaction): Promise<Uint8Array> {
		const { rawBytes, id, idHex } = transaction;
		const fits = fitsDevice(rawBytes);
		if (!fits && !this.signsHashes) {
			throw new Failure("signer_unavailable", "the transaction is too large for the device to show", {
				retry: "changed",
				hint: 'the setting "Sign by hash" of its app lets it sign the hash alone, which it shows',
			});
		}
		const answer = fits
			? this.app.signTransaction(this.path, toHex(rawBytes), [])
			: this.app.signTransactionHash(this.path, idHex);
		return this.checked(id, await translated(answer));
	}

	async signMessage(message: Uint8Array): Promise<Uint8Array> {
		if (message.length > MAX_MESSAGE)
			throw new Failure("bad_value", `a device signs messages of up to ${MAX_MESSAGE} bytes`);
		const answer = await translated(this.app.signPersonalMessage(this.path, toHex(message)));
		return this.checked(messageHash(message), answer);
	}

	async confirmAddress(): Promise<void> {
		const { publicKey } = await translated(this.app.getAddress(this.path, true));
		if (!equalBytes(addressOf(publicKey), this.address))
			throw new Failure("signer_unavailable", "the device shows another key than before", {
				retry: "changed",
			});
	}

	/** The signature in normalized form, after verifying that it is this key's. @throws {Failure} */
	private checked(hash: Uint8Array, hex: string): Uint8Array {
		const signature = normalised(hex);
		if (signature && recoversTo(this.address, hash, signature)) return signature;
		throw new Failure(
			"signer_unavailable",
			`the device's answer is not a signature by ${this.base58}: nothing was signed`,
			{ retry: "changed", hint: "is it the device, and the key, that was there before?" },
		);
	}
}

/** Normalizes v, which is the recovery id or that plus 27, depending on the version of the app. */
function normalised(hex: string): Uint8Array | undefined {
	if (!/^([0-9a-f]{2})+$/i.test(hex)) return undefined;
	const signature = fromHex(hex);
	const v = signature[SIGNATURE_LENGTH - 1];
	if (signature.length !== SIGNATURE_LENGTH || v === undefined) return undefined;
	const recovery = v >= 27 ? v - 27 : v;
	if (recovery > 1) return undefined;
	const result = Uint8Array.from(signature);
	result[SIGNATURE_LENGTH - 1] = recovery + 27;
	return result;
}

function recoversTo(address: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
	try {
		return equalBytes(recoverAddress(hash, signature), address);
	} catch (error) {
		if (error instanceof SignatureError) return false;
		throw error;
	}
}

/** The SHA-256 of a message as shown by older versions of the app. */
export function messageDigest(message: Uint8Array): string {
	return toHex(sha256(message)).toUpperCase();
}

type Answer = readonly [code: FailureCode, message: string, hint?: string];

const LOCKED: Answer = ["signer_unavailable", "the device is locked", "unlock it with its PIN"];
const NO_APP: Answer = [
	"signer_unavailable",
	"the network's app is not open on the device",
	"open it there and try again",
];
const UNREADABLE: Answer = [
	"signer_unavailable",
	"the app on the device can't read this",
	"a newer version of the app may",
];
const REFUSED: Answer = ["confirmation_refused", "refused on the device; nothing was sent"];

function withoutSetting(what: string, setting: string): Answer {
	return ["signer_unavailable", `the app on the device ${what}`, `its setting "${setting}" allows it`];
}

/** Status words of the device and of its app. */
const STATUS: ReadonlyMap<number, Answer> = new Map([
	[0x5515, LOCKED],
	[0x6804, LOCKED],
	[0x6982, LOCKED],
	[0x6b0c, LOCKED],
	[0x6985, REFUSED],
	[0x6511, NO_APP],
	[0x6d00, NO_APP],
	[0x6d02, NO_APP],
	[0x6e00, NO_APP],
	[0x6e01, NO_APP],
	[0x6a80, UNREADABLE],
	[0x6a8b, withoutSetting("signs no transaction with a memo", "Transactions data")],
	[0x6a8c, withoutSetting("signs no hash", "Sign by hash")],
	[0x6a8d, withoutSetting("signs no call of this contract", "Custom contracts")],
]);

/** Errors of the USB library, by name. */
const NAMED: readonly (readonly [name: RegExp, answer: Answer])[] = [
	[
		/NoDevice|CantOpenDevice|cannot open device/i,
		["signer_unavailable", "no device is connected, or another program holds it", "connect it and unlock it"],
	],
	[/Disconnected/, ["signer_unavailable", "the device was disconnected"]],
	[/LockedDevice/, LOCKED],
];

/** The most characters of a library's own words. */
const MAX_WORDS = 200;

/** A library's own words, which may be many lines of paths, as one short line. */
export function shortText(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line;
}

async function translated<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (error) {
		throw failureOf(error);
	}
}

function failureOf(error: unknown): unknown {
	if (!(error instanceof Error) || error instanceof Failure) return error;
	const { statusCode, id } = error as { readonly statusCode?: unknown; readonly id?: unknown };
	const word = `${error.name} ${String(id ?? "")} ${error.message}`;
	const known =
		typeof statusCode === "number" ? STATUS.get(statusCode) : NAMED.find(([name]) => name.test(word))?.[1];
	const status = typeof statusCode === "number" ? ` (0x${statusCode.toString(16)})` : "";
	const [code, message, hint] = known ?? [
		"signer_unavailable",
		`the device failed: ${shortText(error.message)}`,
	];
	return new Failure(code, `${message}${status}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
