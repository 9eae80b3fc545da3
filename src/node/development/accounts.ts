/**
 * The funded accounts of a development chain: the initial ones, and batches requested later
 * (protocol/development-chain §4.2). The same mnemonic gives the same keys everywhere.
 */

import { createECDH, createHmac, pbkdf2Sync } from "node:crypto";
import { toBase58Check } from "../../protocol/address.js";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { addressOfPrivateKey, CURVE_ORDER } from "../../protocol/signature.js";

/** The mnemonic that every developer's wallet already knows. */
export const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";
export const DEVELOPMENT_HD_PATH = "m/44'/195'/0'/0/";

/** An account whose key is public by design: never to be used on a public network. */
export interface DevelopmentAccount {
	readonly address: Uint8Array;
	readonly privateKey: Uint8Array;
	readonly balanceSun: bigint;
}

/** Default producer key: the number one. */
export function defaultProducerKey(): Uint8Array {
	const key = new Uint8Array(32);
	key[31] = 1;
	return key;
}

/**
 * Derives accounts from a mnemonic.
 * @param pathPrefix to which the account's index is appended
 */
export function deriveAccounts(
	mnemonic: string,
	pathPrefix: string,
	count: number,
	balanceSun: bigint,
): DevelopmentAccount[] {
	const prefix = pathPrefix.replace(/\/$/, "");
	const parent = prefix
		.split("/")
		.slice(1)
		.reduce((node, step) => child(node, indexOfStep(step)), masterNode(mnemonicSeed(mnemonic)));
	return Array.from({ length: count }, (_, index) => {
		const privateKey = child(parent, index).key;
		return { address: addressOfPrivateKey(privateKey), privateKey, balanceSun };
	});
}

/**
 * Private derivation (BIP-32) with the runtime's compiled functions. The keystore uses the audited library, which computes a
 * public key in script for every node and would delay the start of a development chain. A test compares the two.
 */
interface HdNode {
	readonly key: Uint8Array;
	readonly chainCode: Uint8Array;
}

const HARDENED = 0x80000000;

function masterNode(seed: Uint8Array): HdNode {
	const hash = createHmac("sha512", "Bitcoin seed").update(seed).digest();
	return { key: hash.subarray(0, 32), chainCode: hash.subarray(32) };
}

function indexOfStep(step: string): number {
	return step.endsWith("'") ? HARDENED + Number(step.slice(0, -1)) : Number(step);
}

function child(node: HdNode, index: number): HdNode {
	const number = Buffer.alloc(4);
	number.writeUInt32BE(index);
	const parent =
		index >= HARDENED ? Buffer.concat([Uint8Array.of(0), node.key]) : compressedPublicKey(node.key);
	const hash = createHmac("sha512", node.chainCode).update(parent).update(number).digest();
	const tweak = BigInt(`0x${hash.subarray(0, 32).toString("hex")}`);
	const sum = (tweak + BigInt(`0x${Buffer.from(node.key).toString("hex")}`)) % CURVE_ORDER;
	if (tweak >= CURVE_ORDER || sum === 0n) throw new Error("this path has no key; choose another index");
	return { key: Buffer.from(sum.toString(16).padStart(64, "0"), "hex"), chainCode: hash.subarray(32) };
}

function compressedPublicKey(privateKey: Uint8Array): Uint8Array {
	const pair = createECDH("secp256k1");
	pair.setPrivateKey(privateKey);
	return pair.getPublicKey(null, "compressed");
}

/** The seed of a mnemonic without passphrase (BIP-39), with the runtime's compiled PBKDF2, because a start waits for it. */
function mnemonicSeed(mnemonic: string): Uint8Array {
	return pbkdf2Sync(mnemonic.normalize("NFKD"), "mnemonic", 2048, 64, "sha512");
}

/** Accounts with their mnemonic. */
export interface AccountBatch {
	readonly accounts: readonly DevelopmentAccount[];
	readonly mnemonic: string;
	/** Path of the keys, without the account's index: `m/44'/195'/0'/0/`. */
	readonly hdPath: string;
}

export class AccountBook {
	private batches: AccountBatch[] = [];

	constructor(readonly primary: AccountBatch) {}

	/** Later batches, oldest first. */
	get more(): readonly AccountBatch[] {
		return this.batches;
	}

	/** Derives the next batch: the same on every run. It still has to be funded and added. */
	async nextBatch(count: number, balanceSun: bigint): Promise<AccountBatch> {
		const { entropyToMnemonic } = await import("@scure/bip39");
		const { wordlist } = await import("@scure/bip39/wordlists/english.js");
		const seed = `coin development batch ${this.batches.length + 1} of ${this.primary.mnemonic}`;
		const mnemonic = entropyToMnemonic(sha256(utf8(seed)).subarray(0, 16), wordlist);
		const { hdPath } = this.primary;
		return { accounts: deriveAccounts(mnemonic, hdPath, count, balanceSun), mnemonic, hdPath };
	}

	add(batch: AccountBatch): void {
		this.batches.push(batch);
	}

	/** Forgets all but the first few batches, because the chain went back to before the others existed. */
	keep(count: number): void {
		this.batches.length = Math.min(this.batches.length, count);
	}
}

/** Address notation: one form, or both. */
export type AddressFormat = "base58" | "hex" | "all";

/** The listing of accounts, keys, mnemonic and path, line by line. @param unit the coin's name */
export function accountListing(
	{ accounts, mnemonic, hdPath }: AccountBatch,
	unit: string,
	format: AddressFormat = "base58",
): string[] {
	const amount = (sun: bigint): string => {
		const digits = (sun % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
		return `(${sun / 1_000_000n}${digits === "" ? "" : `.${digits}`} ${unit})`;
	};
	const name = (address: Uint8Array): string => {
		if (format === "hex") return toHex(address);
		return format === "all" ? `${toBase58Check(address)} ${toHex(address)}` : toBase58Check(address);
	};
	return [
		...titled("Available Accounts"),
		...accounts.map(({ address, balanceSun }, index) => `(${index}) ${name(address)} ${amount(balanceSun)}`),
		...titled("Private Keys"),
		...accounts.map(({ privateKey }, index) => `(${index}) ${toHex(privateKey)}`),
		...titled("HD Wallet"),
		`Mnemonic:      ${mnemonic}`,
		`Base HD Path:  ${hdPath}{account_index}`,
	];
}

function titled(title: string): string[] {
	return ["", title, "=".repeat(title.length), ""];
}
