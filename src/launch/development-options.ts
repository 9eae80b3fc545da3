/** Options of a development chain from flags, environment and the section `dev` of a configuration (sheet 11 §8.3). */

import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { checkMnemonic } from "../keystore/mnemonic.js";
import { parsePrivateKey } from "../keystore/secret-storage.js";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	type DevelopmentAccount,
	defaultProducerKey,
	deriveAccounts,
} from "../node/development/accounts.js";
import type { SealMode } from "../node/development/conditions.js";
import type { DevelopmentOptions } from "../node/development/development.js";
import type { ParameterSetting } from "../node/development/initial-state.js";
import { utf8 } from "../protocol/bytes.js";
import type { Dialect } from "../protocol/dialect.js";
import { sha256 } from "../protocol/hash.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import { readAddress } from "../wallet/address-text.js";
import { parseCoinAmount } from "../wallet/amount.js";
import { parseDuration } from "../wallet/duration.js";
import { Failure } from "../wallet/failure.js";
import { isRecord, type Json, type JsonRecord, member, readJson } from "../wallet/json.js";

/** The value of an option by its flag name; undefined where nobody set it. */
export type OptionSource = (flag: string) => string | undefined;

/** Flags that mean something only on a development chain. */
export const DEVELOPMENT_FLAGS = [
	"accounts",
	"balance",
	"mnemonic",
	"seed",
	"hd-path",
	"accounts-file",
	"producer-key-file",
	"use-producer-account",
	"seal",
	"block-time",
	"no-mining",
	"economy",
	"parameter",
	"maintenance",
	"solid-lag",
	"genesis-timestamp",
	"start-time",
	"unstake-delay",
	"unlock-all",
	"state",
	"load-state",
	"dump-state",
	"port",
	"http-port",
	"solidity-port",
	"jsonrpc-port",
	"grpc-port",
	"grpc-solidity-port",
	"allow-remote",
	"vm-time-limit",
	"no-console-log",
	"fork-url",
] as const;

/** Everything that the listing at start shows. */
export interface ChosenDevelopment {
	readonly options: DevelopmentOptions;
	readonly mnemonic: string;
	readonly hdPath: string;
	readonly host: string;
	/** Milliseconds that the clock is ahead of the wall clock. */
	readonly clockOffsetMs: bigint;
}

const DEFAULT_PORTS = {
	port: 9090,
	"http-port": 8090,
	"solidity-port": 8091,
	"jsonrpc-port": 8545,
	"grpc-port": 50051,
	"grpc-solidity-port": 50061,
} as const;

/**
 * Works the options out.
 * @param parameters values of the repeatable `--parameter`
 * @param unlocked values of the repeatable `--unlock`
 * @throws {Failure} `bad_value`
 */
export async function chooseDevelopment(
	get: OptionSource,
	parameters: readonly string[],
	warn: (message: string) => void,
	unlocked: readonly string[] = [],
): Promise<ChosenDevelopment> {
	if (get("fork-url") !== undefined) {
		throw new Failure(
			"usage",
			"--fork-url: a development chain can't begin with the state of another chain",
			{
				hint: "coin dev dump and --load-state carry the state of one development chain to the next",
			},
		);
	}
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
	const host = get("host") ?? "127.0.0.1";
	if (!isLoopback(host) && !flag(get, "allow-remote")) {
		throw new Failure("usage", `a development chain gives everybody its keys: ${host} needs --allow-remote`);
	}
	if (!isLoopback(host)) warn(`anyone who reaches ${host} can take every balance of this chain`);
	const start = get("start-time");
	return {
		mnemonic,
		hdPath,
		host,
		clockOffsetMs:
			start === undefined
				? 0n
				: BigInt(integer("start-time", start, 1, Number.MAX_SAFE_INTEGER) - Date.now()),
		options: {
			accounts,
			producerKey,
			seal: sealMode(get),
			economy: oneOf("economy", get("economy") ?? "genesis", ["genesis", "main"]),
			parameters: [...file.parameters, ...parameters.map(parameterSetting)],
			genesisTimestampMs: BigInt(
				integer("genesis-timestamp", get("genesis-timestamp") ?? "0", 0, Number.MAX_SAFE_INTEGER),
			),
			maintenanceMs: parseDuration(get("maintenance") ?? "6h"),
			solidLag: BigInt(integer("solid-lag", get("solid-lag") ?? "0", 0, 1_000_000)),
			mnemonic,
			hdPath,
			unstakeDelayMs: BigInt(parseDuration(get("unstake-delay") ?? "60s")),
			unlocked: unlocked.map(unlockedAccount),
			unlockAll: flag(get, "unlock-all"),
			consoleLog: !flag(get, "no-console-log"),
			...(await stateFiles(get)),
			dialect: oneOf("dialect", get("dialect") ?? "neutral", ["neutral", "deployed"]) as Dialect,
			gatewayDialect: oneOf("dialect", get("dialect") ?? "deployed", ["neutral", "deployed"]) as Dialect,
			ports: {
				gateway: await port(get, "port", host, warn),
				http: await port(get, "http-port", host, warn),
				solidity: await port(get, "solidity-port", host, warn),
				pbft: 0,
				jsonrpc: await port(get, "jsonrpc-port", host, warn),
				grpc: await port(get, "grpc-port", host, warn),
				grpcSolidity: await port(get, "grpc-solidity-port", host, warn),
			},
		},
	};
}

function flag(get: OptionSource, name: string): boolean {
	return ["true", "1", "yes", "on"].includes((get(name) ?? "").toLowerCase());
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
		throw new Failure("bad_value", `--hd-path "${text}" is no path: write it like ${DEVELOPMENT_HD_PATH}`);
	return text.endsWith("/") ? text : `${text}/`;
}

function sealMode(get: OptionSource): SealMode {
	const seconds = get("block-time");
	const seal = flag(get, "no-mining") ? "manual" : (seconds ?? get("seal") ?? "instant");
	if (seal === "instant" || seal === "manual") return seal;
	return { intervalMs: integer("seal", seal, 1, 60) * 1000 };
}

function parameterSetting(text: string): ParameterSetting {
	const match = /^([^=:]+)[=:](\d{1,19})$/.exec(text.trim());
	if (!match?.[1] || !match[2]) throw new Failure("bad_value", `--parameter "${text}": write <name>=<value>`);
	return { name: match[1].trim(), value: BigInt(match[2]) };
}

function unlockedAccount(text: string): Uint8Array {
	const address = readAddress(text);
	if (!address) throw new Failure("bad_address", `--unlock "${text}" is no address`);
	return address;
}

/** `--state` is both: read if it is there, and written at the end. */
async function stateFiles(get: OptionSource): Promise<Pick<DevelopmentOptions, "loadState" | "saveState">> {
	const both = get("state");
	const from = get("load-state") ?? both;
	const to = get("dump-state") ?? both;
	const loadState = from === undefined ? undefined : await readState(from, from === both);
	return {
		...(loadState ? { loadState } : {}),
		...(to === undefined ? {} : { saveState: (dump: Uint8Array) => replaceFile(to, dump) }),
	};
}

async function readState(path: string, mayBeMissing: boolean): Promise<Uint8Array | undefined> {
	try {
		return await readFile(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (mayBeMissing && code === "ENOENT") return undefined;
		throw new Failure("bad_value", `the state ${path} can't be read (${code ?? "unknown error"})`);
	}
}

/** A half-written state must not take the place of a whole one. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
	const temporary = `${path}.${process.pid}`;
	await writeFile(temporary, bytes);
	await rename(temporary, path);
}

/** A port that is busy and was not asked for is left out; 0 asks for any free one. */
async function port(
	get: OptionSource,
	name: keyof typeof DEFAULT_PORTS,
	host: string,
	warn: (message: string) => void,
): Promise<number> {
	const given = get(name);
	// Whoever takes any port for the gateway runs several chains beside each other.
	if (given === undefined && name !== "port" && get("port") === "0") return 0;
	const wanted = integer(name, given ?? String(DEFAULT_PORTS[name]), 0, 65535);
	const free = await freePort(wanted, host);
	if (free !== undefined) return free;
	// The full API is what a development chain is for: without it there is nothing to start.
	if (given !== undefined || name === "http-port") {
		throw new Failure("start_failed", `port ${wanted} is in use; --${name} chooses another one`);
	}
	warn(`port ${wanted} is in use: nothing is served there; --${name} chooses another one`);
	return 0;
}

function freePort(wanted: number, host: string): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "EADDRINUSE") resolve(undefined);
			else if (error.code === "EACCES")
				reject(new Failure("start_failed", `port ${wanted} may not be used by this user`));
			else
				reject(
					new Failure("start_failed", `the address ${host} can't be used (${error.code ?? error.message})`),
				);
		});
		probe.listen(wanted, host, () => {
			const address = probe.address();
			probe.close(() => resolve(typeof address === "object" && address ? address.port : wanted));
		});
	});
}

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || host === "[::1]" || /^127\./.test(host);
}

function integer(name: string, text: string, min: number, max: number): number {
	const value = /^-?\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
	if (!Number.isSafeInteger(value) || value < min || value > max) {
		throw new Failure("bad_value", `--${name} "${text}": a whole number from ${min} to ${max} is needed`);
	}
	return value;
}

function oneOf<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
	const found = allowed.find((value) => value === text);
	if (found === undefined) throw new Failure("bad_value", `--${name} "${text}": use ${allowed.join(" or ")}`);
	return found;
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

/** An array of keys, `{privateKeys}`, or `{mnemonic:{phrase,count,balance}, accounts:[{privateKey,balance}], chainParameters}`. */
async function readAccountsFile(path: string): Promise<AccountsFile> {
	let json: Json;
	try {
		json = readJson(await readFile(path, "utf8"));
	} catch (error) {
		const why =
			error instanceof SyntaxError
				? "it is no JSON"
				: ((error as NodeJS.ErrnoException).code ?? "unknown error");
		throw new Failure("bad_value", `the accounts file ${path} can't be read: ${why}`);
	}
	if (Array.isArray(json)) return { accounts: json.map(fileKey), parameters: [] };
	if (!isRecord(json)) throw new Failure("bad_value", `the accounts file ${path} holds no accounts`);
	const { privateKeys, mnemonic, accounts, chainParameters } = json;
	const sentence: JsonRecord = isRecord(mnemonic) ? mnemonic : {};
	const phrase = member(sentence, "phrase");
	const count = member(sentence, "count");
	const balance = member(sentence, "balance");
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

/** A number of coins, as such files write balances. */
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
