/** The genesis block as configured (protocol/configuration §1.7, protocol/blocks §2.1). */

import { ADDRESS_LENGTH, Base58Error, fromBase58Check, toBase58Check } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import { MAX_INT64, MIN_INT64 } from "../../protocol/int64.js";
import type { Section } from "./section.js";

export type GenesisAccountType = "Normal" | "AssetIssue" | "Contract";

export interface GenesisAsset {
	/** `Zion`, `Sun` and `Blackhole` select the special accounts. */
	readonly accountName: string;
	/** Checked and otherwise without effect: every such account is written as Normal. */
	readonly accountType: GenesisAccountType;
	readonly address: Uint8Array;
	/** Sun; may be negative. */
	readonly balance: bigint;
}

export interface GenesisWitness {
	readonly address: Uint8Array;
	readonly url: string;
	readonly voteCount: bigint;
}

export interface GenesisConfig {
	/** Milliseconds, not negative. */
	readonly timestampMs: bigint;
	readonly parentHash: Uint8Array;
	readonly assets: readonly GenesisAsset[];
	readonly witnesses: readonly GenesisWitness[];
}

/** What a file without `genesis.block` means. */
const NO_GENESIS: GenesisConfig = {
	timestampMs: 0n,
	parentHash: Uint8Array.of(0),
	assets: [],
	witnesses: [],
};

const ACCOUNT_TYPES: readonly GenesisAccountType[] = ["Normal", "AssetIssue", "Contract"];

/** Reads `genesis.block`. Addresses must have the network's prefix byte. @throws {ConfigError} */
export function readGenesis(root: Section, addressPrefix: number): GenesisConfig {
	const block = root.optionalSection("genesis.block");
	if (block === undefined) return NO_GENESIS;
	return {
		timestampMs: readTimestamp(block),
		parentHash: readParentHash(block),
		assets: block.sections("assets").map((asset) => readAsset(asset, addressPrefix)),
		witnesses: block.sections("witnesses").map((witness) => readWitness(witness, addressPrefix)),
	};
}

function readAsset(asset: Section, addressPrefix: number): GenesisAsset {
	const accountName = asset.requiredText("accountName");
	if (accountName.trim() === "") throw asset.refuse("accountName", "must not be blank");
	const typeName = asset.requiredText("accountType");
	const accountType = ACCOUNT_TYPES.find((type) => type.toLowerCase() === typeName.toLowerCase());
	if (accountType === undefined) {
		throw asset.refuse("accountType", `must be ${ACCOUNT_TYPES.join(", ")}, not "${typeName}"`);
	}
	const balance = parseLong(asset.requiredText("balance"));
	if (balance === undefined) {
		throw asset.refuse("balance", `must be an amount of 64 bits, not "${asset.requiredText("balance")}"`);
	}
	return { accountName, accountType, address: readAddress(asset, "address", addressPrefix), balance };
}

function readWitness(witness: Section, addressPrefix: number): GenesisWitness {
	const address = readAddress(witness, "address", addressPrefix);
	const url = witness.requiredText("url");
	if (url.trim() === "") throw witness.refuse("url", "must not be blank");
	return { address, url, voteCount: witness.requiredLong("voteCount") };
}

function readTimestamp(block: Section): bigint {
	const text = block.requiredText("timestamp");
	const timestamp = parseLong(text);
	if (timestamp === undefined || timestamp < 0n) {
		throw block.refuse("timestamp", `must be a time in milliseconds, 0 or more, not "${text}"`);
	}
	return timestamp;
}

function readParentHash(block: Section): Uint8Array {
	const text = block.requiredText("parentHash");
	const digits = text.startsWith("0x") ? text.slice(2) : text;
	if (!/^[0-9a-fA-F]*$/.test(digits)) throw block.refuse("parentHash", `must be hexadecimal, not "${text}"`);
	return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** Reads a required Base58 address. @throws {ConfigError} */
export function readAddress(section: Section, path: string, addressPrefix: number): Uint8Array {
	const text = section.requiredText(path);
	const address = decodeAddress(text, addressPrefix);
	if (address === undefined) {
		const example = toBase58Check(Uint8Array.of(addressPrefix, ...new Uint8Array(ADDRESS_LENGTH - 1)));
		throw section.refuse(path, `must be a Base58 address of this network such as ${example}, not "${text}"`);
	}
	return address;
}

/** A Base58 address with the given prefix byte; undefined if the text is anything else. */
export function decodeAddress(text: string, addressPrefix: number): Uint8Array | undefined {
	let bytes: Uint8Array | undefined;
	try {
		bytes = fromBase58Check(text);
	} catch (error) {
		if (!(error instanceof Base58Error)) throw error;
	}
	return bytes?.length === ADDRESS_LENGTH && bytes[0] === addressPrefix ? bytes : undefined;
}

function parseLong(text: string): bigint | undefined {
	if (!/^[+-]?\d+$/.test(text)) return undefined;
	const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
	return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}
