/** The configured genesis block (protocol/configuration §1.7) and its bytes (protocol/blocks §§2.1, 2.2). */

import { ADDRESS_LENGTH, Base58Error, fromBase58Check, toBase58Check } from "../../protocol/address.js";
import { blockId, merkleRoot, SignedBlock } from "../../protocol/block.js";
import { fromHex, utf8 } from "../../protocol/bytes.js";
import { contractType, TYPE_URL_PREFIX } from "../../protocol/contract-types.js";
import { sha256 } from "../../protocol/hash.js";
import { MAX_INT64, MIN_INT64 } from "../../protocol/int64.js";
import {
	Any,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionContract,
	TransactionRaw,
	TransferContract,
} from "../../protocol/messages.js";
import type { Settings } from "./settings.js";

export interface GenesisAsset {
	/** `Zion`, `Sun` and `Blackhole` select the special accounts. */
	readonly accountName: string;
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

/** Default without `genesis.block`. */
const NO_GENESIS: GenesisConfig = {
	timestampMs: 0n,
	parentHash: Uint8Array.of(0),
	assets: [],
	witnesses: [],
};

/** Validated as on the network, which stores all such accounts as Normal. */
const ACCOUNT_TYPES = ["Normal", "AssetIssue", "Contract"];

/** Reads `genesis.block`. Addresses must have the network's prefix byte. @throws {ConfigError} */
export function readGenesis(settings: Settings, addressPrefix: number): GenesisConfig {
	if (!settings.hasGroup("genesis.block")) return NO_GENESIS;
	return {
		timestampMs: readTimestamp(settings),
		parentHash: readParentHash(settings),
		assets: settings.items("genesis.block.assets").map((asset) => readAsset(asset, addressPrefix)),
		witnesses: settings
			.items("genesis.block.witnesses")
			.map((witness) => readWitness(witness, addressPrefix)),
	};
}

function readAsset(asset: Settings, addressPrefix: number): GenesisAsset {
	const accountName = asset.get("genesis.block.assets[].accountName");
	if (accountName.trim() === "")
		throw asset.refuse("genesis.block.assets[].accountName", "must not be blank");
	const typeName = asset.get("genesis.block.assets[].accountType");
	if (!ACCOUNT_TYPES.some((type) => type.toLowerCase() === typeName.toLowerCase())) {
		throw asset.refuse(
			"genesis.block.assets[].accountType",
			`must be ${ACCOUNT_TYPES.join(", ")}, not "${typeName}"`,
		);
	}
	const balance = parseLong(asset.get("genesis.block.assets[].balance"));
	if (balance === undefined) {
		throw asset.refuse(
			"genesis.block.assets[].balance",
			`must be an amount of 64 bits, not "${asset.get("genesis.block.assets[].balance")}"`,
		);
	}
	return {
		accountName,
		address: readAddress(asset, "genesis.block.assets[].address", addressPrefix),
		balance,
	};
}

function readWitness(witness: Settings, addressPrefix: number): GenesisWitness {
	const address = readAddress(witness, "genesis.block.witnesses[].address", addressPrefix);
	const url = witness.get("genesis.block.witnesses[].url");
	if (url.trim() === "") throw witness.refuse("genesis.block.witnesses[].url", "must not be blank");
	return { address, url, voteCount: witness.get("genesis.block.witnesses[].voteCount") };
}

function readTimestamp(block: Settings): bigint {
	const text = block.get("genesis.block.timestamp");
	const timestamp = parseLong(text);
	if (timestamp === undefined || timestamp < 0n) {
		throw block.refuse("genesis.block.timestamp", `must be a time in milliseconds, 0 or more, not "${text}"`);
	}
	return timestamp;
}

function readParentHash(block: Settings): Uint8Array {
	const text = block.get("genesis.block.parentHash");
	const digits = text.startsWith("0x") ? text.slice(2) : text;
	if (!/^[0-9a-fA-F]*$/.test(digits))
		throw block.refuse("genesis.block.parentHash", `must be hexadecimal, not "${text}"`);
	return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** Reads a required Base58 address. @throws {ConfigError} */
function readAddress(
	settings: Settings,
	path: "genesis.block.assets[].address" | "genesis.block.witnesses[].address",
	addressPrefix: number,
): Uint8Array {
	const text = settings.get(path);
	const address = decodeAddress(text, addressPrefix);
	if (address === undefined) {
		const example = toBase58Check(Uint8Array.of(addressPrefix, ...new Uint8Array(ADDRESS_LENGTH - 1)));
		throw settings.refuse(path, `must be a Base58 address of this network such as ${example}, not "${text}"`);
	}
	return address;
}

/** A Base58 address with the given prefix byte; undefined for any other text. */
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

/** Owner of the genesis block's transfers. */
const GENESIS_OWNER = utf8("0x000000000000000000000");
const GENESIS_WITNESS = utf8(
	"A new system must allow existing systems to be linked together without requiring any central control or coordination",
);

/** Builds the genesis block deterministically. */
export function genesisBlock(genesis: GenesisConfig): SignedBlock {
	const transactions = genesis.assets.map((asset) =>
		Transaction.create({
			raw_data: TransactionRaw.create({
				contract: [
					TransactionContract.create({
						type: contractType("TransferContract").id,
						parameter: Any.create({
							type_url: `${TYPE_URL_PREFIX}TransferContract`,
							value: TransferContract.encode(
								TransferContract.create({
									owner_address: GENESIS_OWNER,
									to_address: asset.address,
									amount: asset.balance,
								}),
							),
						}),
					}),
				],
			}),
		}),
	);
	const root = merkleRoot(transactions.map((transaction) => sha256(Transaction.encode(transaction))));
	return new SignedBlock(
		Block.create({
			transactions,
			block_header: BlockHeader.create({
				raw_data: BlockHeaderRaw.create({
					timestamp: genesis.timestampMs,
					parentHash: genesis.parentHash,
					txTrieRoot: root,
					witness_address: GENESIS_WITNESS,
				}),
			}),
		}),
	);
}

/** Id of the genesis block, which identifies the chain. */
export function genesisId(genesis: GenesisConfig): Uint8Array {
	return blockId(0n, genesisBlock(genesis).rawHash);
}
