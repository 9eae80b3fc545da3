/** Reads the options that define a development chain: accounts, producer, prices, genesis (protocol/development-chain §1.3). */

import { readFile } from "node:fs/promises";
import { checkMnemonic } from "../keystore/mnemonic.js";
import { parsePrivateKey } from "../keystore/secret-storage.js";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	type DevelopmentAccount,
	defaultProducerKey,
	deriveAccounts,
} from "../node/development/accounts.js";
import type { Founding } from "../node/development/directory.js";
import type { ParameterSetting } from "../node/development/initial-state.js";
import { NETWORKS } from "../node/rules/chain-rules.js";
import { utf8 } from "../protocol/bytes.js";
import { sha256 } from "../protocol/hash.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import { Failure } from "../wallet/failure.js";
import { isRecord, type Json, type JsonRecord, member, readJson } from "../wallet/json.js";
import { parseCoinAmount } from "../wallet/values/amount.js";
import { parseDuration } from "../wallet/values/moment.js";

// Options from any source: flags, the environment, a configuration.

/** Returns the value of an option by its flag name; undefined if not set. */
export type OptionSource = (flag: string) => string | undefined;

/** Reads a boolean option. */
export function flag(get: OptionSource, name: string): boolean {
	return ["true", "1", "yes", "on"].includes((get(name) ?? "").toLowerCase());
}

/** Parses an integer. @throws {Failure} `bad_value` */
export function integer(name: string, text: string, min: number, max: number): number {
	const value = /^-?\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
	if (!Number.isSafeInteger(value) || value < min || value > max) {
		throw new Failure("bad_value", `--${name} "${text}": a whole number from ${min} to ${max} is needed`);
	}
	return value;
}

/** Checks that a text is one of the allowed words. @throws {Failure} `bad_value` */
export function oneOf<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
	const found = allowed.find((value) => value === text);
	if (found === undefined) throw new Failure("bad_value", `--${name} "${text}": use ${allowed.join(" or ")}`);
	return found;
}

/** Options whose change makes it a different chain. `--parameter` is another one. */
export const FOUNDING_FLAGS = [
	"accounts",
	"balance",
	"mnemonic",
	"seed",
	"hd-path",
	"accounts-file",
	"producer-key-file",
	"use-producer-account",
	"economy",
	"genesis-timestamp",
	"maintenance",
	"network",
] as const;

/** @param parameters values of the repeatable `--parameter` @throws {Failure} `bad_value` */
export async function foundingOf(get: OptionSource, parameters: readonly string[]): Promise<Founding> {
	const accountsFile = get("accounts-file");
	const file: AccountsFile =
		accountsFile === undefined ? { accounts: [], parameters: [] } : await readAccountsFile(accountsFile);
	const mnemonic = await mnemonicOf(file.mnemonic ?? get("mnemonic"), get("seed"));
	const hdPath = checkHdPath(get("hd-path") ?? DEVELOPMENT_HD_PATH);
	const count = integer(
		"accounts",
		file.count ?? get("accounts") ?? "10",
		file.accounts.length > 0 ? 0 : 1,
		1000,
	);
	const balanceSun = parseCoinAmount(file.balance ?? get("balance") ?? "10000coin");
	const producerFile = get("producer-key-file");
	const producerKey =
		producerFile === undefined ? defaultProducerKey() : parsePrivateKey(await readFile(producerFile, "utf8"));
	const own = file.accounts.map((account) => ({ ...account, balanceSun: account.balanceSun ?? balanceSun }));
	const derived =
		own.length > 0 && file.mnemonic === undefined ? [] : deriveAccounts(mnemonic, hdPath, count, balanceSun);
	const accounts: DevelopmentAccount[] = [...own, ...derived];
	if (flag(get, "use-producer-account")) {
		accounts.unshift({ address: addressOfPrivateKey(producerKey), privateKey: producerKey, balanceSun });
		accounts.splice(count > 0 ? count : accounts.length);
	}
	const network = oneOf("network", get("network") ?? "main", NETWORKS);
	return {
		accounts,
		mnemonic,
		hdPath,
		producerKey,
		economy: oneOf("economy", get("economy") ?? "genesis", ["genesis", "main"]),
		parameters: [...file.parameters, ...parameters.map(parameterSetting)],
		genesisTimestampMs: BigInt(
			integer("genesis-timestamp", get("genesis-timestamp") ?? "0", 0, Number.MAX_SAFE_INTEGER),
		),
		maintenanceMs: parseDuration(get("maintenance") ?? "6h"),
		...(network === "main" ? {} : { network }),
	};
}

async function mnemonicOf(text: string | undefined, seed: string | undefined): Promise<string> {
	if (text === "random" || (text === undefined && seed !== undefined)) {
		const { entropyToMnemonic, generateMnemonic } = await import("@scure/bip39");
		const { wordlist } = await import("@scure/bip39/wordlists/english.js");
		if (seed === undefined) return generateMnemonic(wordlist, 128);
		return entropyToMnemonic(sha256(utf8(`coin development seed ${seed}`)).subarray(0, 16), wordlist);
	}
	return text === undefined ? DEVELOPMENT_MNEMONIC : checkMnemonic(text);
}

function checkHdPath(text: string): string {
	if (!/^m(\/\d{1,10}'?)+\/?$/.test(text))
		throw new Failure("bad_value", `--hd-path "${text}" is not a path: write it like ${DEVELOPMENT_HD_PATH}`);
	return text.endsWith("/") ? text : `${text}/`;
}

function parameterSetting(text: string): ParameterSetting {
	const match = /^([^=:]+)[=:](\d{1,19})$/.exec(text.trim());
	if (!match?.[1] || !match[2]) throw new Failure("bad_value", `--parameter "${text}": write <name>=<value>`);
	return { name: match[1].trim(), value: BigInt(match[2]) };
}

interface FileAccount {
	readonly address: Uint8Array;
	readonly privateKey: Uint8Array;
	readonly balanceSun?: bigint;
}

interface AccountsFile {
	readonly accounts: readonly FileAccount[];
	readonly parameters: readonly ParameterSetting[];
	readonly mnemonic?: string;
	readonly count?: string;
	/** Coins with their unit. */
	readonly balance?: string;
}

/** Reads an array of keys, `{privateKeys}`, or `{mnemonic:{phrase,count,balance}, accounts:[{privateKey,balance}], chainParameters}`. */
async function readAccountsFile(path: string): Promise<AccountsFile> {
	let json: Json;
	try {
		json = readJson(await readFile(path, "utf8"));
	} catch (error) {
		const why =
			error instanceof SyntaxError
				? "it is not JSON"
				: ((error as NodeJS.ErrnoException).code ?? "unknown error");
		throw new Failure("bad_value", `the accounts file ${path} can't be read: ${why}`);
	}
	if (Array.isArray(json)) return { accounts: json.map(fileKey), parameters: [] };
	if (!isRecord(json)) throw new Failure("bad_value", `the accounts file ${path} holds no accounts`);
	const { privateKeys, mnemonic, accounts, chainParameters } = json;
	const record: JsonRecord = isRecord(mnemonic) ? mnemonic : {};
	const phrase = member(record, "phrase");
	const count = member(record, "count");
	const balance = member(record, "balance");
	return {
		accounts: [
			...(Array.isArray(privateKeys) ? privateKeys.map(fileKey) : []),
			...(Array.isArray(accounts) ? accounts.filter(isRecord).map(fileAccount) : []),
		],
		parameters: isRecord(chainParameters)
			? Object.entries(chainParameters).map(([name, value]) => ({ name, value: BigInt(String(value)) }))
			: [],
		...(typeof phrase === "string" ? { mnemonic: phrase } : {}),
		...(count === undefined ? {} : { count: String(count) }),
		...(balance === undefined ? {} : { balance: coins(balance) }),
	};
}

/** Adds the unit to a number of coins, the form of balances in such files. */
function coins(value: Json): string {
	const text = String(value);
	return /[a-z]$/i.test(text) ? text : `${text}coin`;
}

function fileKey(value: Json): FileAccount {
	const privateKey = parsePrivateKey(String(value));
	return { address: addressOfPrivateKey(privateKey), privateKey };
}

function fileAccount(value: JsonRecord): FileAccount {
	const { privateKey, balance } = value;
	const account = fileKey(privateKey ?? "");
	return balance === undefined ? account : { ...account, balanceSun: parseCoinAmount(coins(balance)) };
}
