/**
 * Which node, which keys, which habits: the user's configuration with its profiles (protocol/command-line §6). Highest first: flag,
 * environment, profile, top level of the file, built in. Nothing is read from the working directory.
 */

import { homedir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";
import { parseCoinAmount } from "../values/amount.js";
import { parseDuration } from "../values/moment.js";
import { BUILT_IN, type Configuration, readConfiguration } from "./configuration.js";

export interface Settings {
	readonly profile: string;
	/** Base URLs of the node's servers, without a slash at the end. */
	readonly http: string | undefined;
	readonly solidity: string | undefined;
	readonly jsonrpc: string | undefined;
	/** Where a development chain takes its own methods. */
	readonly gateway: string | undefined;
	/** Addresses of the gRPC servers: `host:port`, after `https://` where they speak TLS. */
	readonly grpc: string | undefined;
	readonly grpcSolidity: string | undefined;
	/** Form of addresses and texts that raw calls ask for; undefined: they don't say. */
	readonly visible: boolean | undefined;
	/** Id of the genesis block that the node must have, 64 hex digits, or the last eight of them. */
	readonly genesis: string | undefined;
	/** Another node, which must have the block that a transaction refers to. */
	readonly referenceNode: string | undefined;
	/** Spelling used in requests; answers are read in both. */
	readonly dialect: Dialect;
	/** Header name → text, for gateways; values are never printed. */
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	/** Whether acting commands ask before they send. */
	readonly confirm: boolean;
	readonly confirmOverSun: bigint;
	readonly maxFeeLimitSun: bigint;
	/** What --fee-limit is without the flag: an amount with its unit, or `auto`. */
	readonly feeLimit: string;
	/** Name or address of the wallet that acts when none is named. */
	readonly wallet: string | undefined;
	readonly keystoreDirectory: string;
	/** The address book. */
	readonly contactsFile: string;
	readonly passwordFile: string | undefined;
	/** Symbol → id or contract. */
	readonly tokens: Readonly<Record<string, string>>;
	/** Address of a page on a transaction, with `{txID}` in it. */
	readonly explorer: string | undefined;
	readonly configurationFile: string;
	/** Keys of the configuration that mean nothing. */
	readonly unknownKeys: readonly string[];
	/** Where each value is from, by its key. */
	readonly origins: Readonly<Record<string, Origin>>;
}

/** Where a value can come from, highest first. */
export type Origin = "flag" | "environment" | "profile" | "built-in profile" | "configuration" | "built in";

/** The flags that take part; undefined where not given. */
export interface SettingsFlags {
	readonly config?: string | undefined;
	readonly profile?: string | undefined;
	readonly node?: string | undefined;
	readonly timeout?: string | undefined;
	readonly "keystore-dir"?: string | undefined;
	readonly from?: string | undefined;
}

/** Keys that are servers of one node: those of a built-in profile say nothing about a node that somebody else runs. */
const SERVERS: ReadonlySet<string> = new Set([
	"http",
	"solidity",
	"jsonrpc",
	"grpc",
	"grpcSolidity",
	"gateway",
]);

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PROFILE = "local";

const DEFAULTS: Readonly<Record<string, string>> = {
	dialect: "neutral",
	timeout: "10s",
	confirm: "false",
	confirmOver: "1000coin",
	maxFeeLimit: "1000coin",
	feeLimit: "auto",
};

/**
 * Works out the settings of one command.
 * @param read a configuration that was read already
 * @throws {Failure} `bad_value` for a file that can't be read or a value that isn't one, `usage` for an unknown profile
 */
export async function loadSettings(
	flags: SettingsFlags,
	environment: Environment,
	read?: Configuration,
): Promise<Settings> {
	const {
		COIN_CONFIG,
		COIN_PROFILE,
		COIN_NODE,
		COIN_TIMEOUT,
		COIN_FROM,
		COIN_KEYSTORE_DIR,
		COIN_PASSWORD_FILE,
	} = withoutEmpty(environment);
	const named = flags.config ?? COIN_CONFIG;
	const file = read ?? (await readConfiguration(named, configDirectory(environment)));
	const { profile: chosen } = file.top;
	const name = flags.profile ?? COIN_PROFILE ?? chosen ?? DEFAULT_PROFILE;
	const own = file.profiles[name];
	const builtIn = BUILT_IN[name];
	if (!own && !builtIn) {
		const known = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(file.profiles)])].join(", ");
		throw new Failure("usage", `there is no profile "${name}"; the profiles are ${known}`);
	}
	const ownNode = own?.text["http"] !== undefined && own.text["http"] !== builtIn?.["http"];
	const origins: Record<string, Origin> = { profile: originOf(flags.profile, COIN_PROFILE, chosen) };
	const get = (key: string, given?: Given): string | undefined => {
		const sources: readonly (readonly [Origin, string | undefined])[] = [
			["flag", given?.flag === given?.variable ? undefined : given?.flag],
			["environment", given?.variable],
			["profile", own?.text[key]],
			["built-in profile", ownNode && SERVERS.has(key) ? undefined : builtIn?.[key]],
			["configuration", file.top[key]],
			["built in", DEFAULTS[key]],
		];
		const found = sources.find(([, value]) => value !== undefined);
		if (found) origins[key] = found[0];
		return found?.[1];
	};

	// The framework hands a variable over as the flag that it stands for.
	const node = flags.node ?? COIN_NODE;
	const usual = baseUrl(get("http"), "http");
	const http = node === undefined ? usual : baseUrl(node, "--node");
	get("http", { flag: flags.node, variable: COIN_NODE });
	const sameNode = node === undefined || http === usual;
	return {
		profile: name,
		http,
		// A node named on the command line is asked for everything, as gateways serve both views at one address.
		solidity: sameNode ? baseUrl(get("solidity"), "solidity") : http,
		jsonrpc: sameNode ? baseUrl(get("jsonrpc"), "jsonrpc") : undefined,
		gateway: sameNode ? baseUrl(get("gateway"), "gateway") : undefined,
		grpc: sameNode ? grpcTarget("grpc", get("grpc")) : undefined,
		grpcSolidity: sameNode ? grpcTarget("grpcSolidity", get("grpcSolidity")) : undefined,
		visible: visibleOf(get("visible")),
		genesis: sameNode ? genesisOf(get("genesis")) : undefined,
		referenceNode: sameNode ? baseUrl(get("referenceNode"), "referenceNode") : undefined,
		dialect: oneOf("dialect", get("dialect"), ["neutral", "deployed"]),
		headers: sameNode ? (own?.headers ?? {}) : {},
		timeoutMs: parseDuration(get("timeout", { flag: flags.timeout, variable: COIN_TIMEOUT }) as string),
		confirm: oneOf("confirm", get("confirm"), ["true", "false"]) === "true",
		confirmOverSun: parseCoinAmount(get("confirmOver") as string),
		maxFeeLimitSun: parseCoinAmount(get("maxFeeLimit") as string),
		feeLimit: feeLimitText(get("feeLimit") as string),
		wallet: get("wallet", { flag: flags.from, variable: COIN_FROM }),
		keystoreDirectory:
			get("keystoreDir", { flag: flags["keystore-dir"], variable: COIN_KEYSTORE_DIR }) ??
			join(dataDirectory(environment), "keystore"),
		contactsFile: join(dataDirectory(environment), "contacts.json"),
		passwordFile: get("passwordFile", { variable: COIN_PASSWORD_FILE }),
		explorer: get("explorer"),
		tokens: own?.tokens ?? {},
		configurationFile: file.path,
		unknownKeys: file.unknown,
		origins,
	};
}

/** What a program says of its node. */
interface NamedNode {
	readonly node: string;
	readonly solidity?: string;
	readonly dialect?: Dialect;
	readonly timeoutMs?: number;
}

/** Settings for a program that names its node and has no configuration: no file is read, and no key of a keystore is used. */
export function nodeSettings({
	node,
	solidity,
	dialect = "neutral",
	timeoutMs = 10_000,
}: NamedNode): Settings {
	const http = baseUrl(node, "node");
	return {
		profile: "program",
		http,
		solidity: solidity === undefined ? http : baseUrl(solidity, "solidity"),
		jsonrpc: undefined,
		gateway: undefined,
		grpc: undefined,
		grpcSolidity: undefined,
		visible: undefined,
		genesis: undefined,
		referenceNode: undefined,
		dialect,
		headers: {},
		timeoutMs,
		confirm: false,
		confirmOverSun: parseCoinAmount(DEFAULTS["confirmOver"] as string),
		maxFeeLimitSun: parseCoinAmount(DEFAULTS["maxFeeLimit"] as string),
		feeLimit: DEFAULTS["feeLimit"] as string,
		wallet: undefined,
		keystoreDirectory: "",
		contactsFile: "",
		passwordFile: undefined,
		tokens: {},
		explorer: undefined,
		configurationFile: "",
		unknownKeys: [],
		origins: {},
	};
}

/** A value by flag or variable. */
interface Given {
	readonly flag?: string | undefined;
	readonly variable?: string | undefined;
}

function originOf(
	flag: string | undefined,
	variable: string | undefined,
	chosen: string | undefined,
): Origin {
	if (flag !== undefined && flag !== variable) return "flag";
	if (variable !== undefined) return "environment";
	return chosen === undefined ? "built in" : "configuration";
}

/** `COIN_NODE= coin …` takes a variable back for one command. */
function withoutEmpty(environment: Environment): Environment {
	return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

function oneOf<const T extends string>(key: string, value: string | undefined, allowed: readonly T[]): T {
	const found = allowed.find((candidate) => candidate === value);
	if (found === undefined) {
		throw new Failure(
			"bad_value",
			`${key} = "${value ?? ""}" in the configuration: use ${allowed.join(" or ")}`,
		);
	}
	return found;
}

function genesisOf(text: string | undefined): string | undefined {
	if (text !== undefined && !/^([0-9a-f]{8}|[0-9a-f]{64})$/i.test(text)) {
		throw new Failure("bad_value", `genesis = "${text}" in the configuration: a block id has 64 hex digits`);
	}
	return text?.toLowerCase();
}

function baseUrl(text: string | undefined, source: string): string | undefined {
	if (text === undefined || text === "") return undefined;
	const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text}`;
	if (!URL.canParse(withScheme) || (/^[a-z]+:\/\//i.test(text) && !/^https?:/i.test(text))) {
		throw new Failure("bad_value", `${source}: "${withoutCredentials(text)}" is not an HTTP address`);
	}
	return withScheme.replace(/\/+$/, "");
}

/** An address of a server for people and results: without its user and password, which are secrets, but with a mark that they are there. */
export function withoutCredentials<T extends string | undefined>(address: T): T {
	return address?.replace(/^([a-z]+:\/\/)?[^/?#]*@/i, "$1***@") as T;
}

function grpcTarget(key: string, text: string | undefined): string | undefined {
	if (text === undefined || text === "") return undefined;
	if (!/^(https?:\/\/)?(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}\/?$/i.test(text)) {
		throw new Failure(
			"bad_value",
			`${key} = "${withoutCredentials(text)}" in the configuration: write <host>:<port>`,
		);
	}
	return text;
}

/** Checked here, so that a mistake shows before anything is built. */
function feeLimitText(text: string): string {
	if (text !== "auto") parseCoinAmount(text);
	return text;
}

function visibleOf(text: string | undefined): boolean | undefined {
	return text === undefined ? undefined : oneOf("visible", text, ["true", "false"]) === "true";
}

/** Directory of the user's configuration. */
function configDirectory(environment: Environment): string {
	const { COIN_CONFIG_DIR, XDG_CONFIG_HOME, LOCALAPPDATA } = environment;
	if (COIN_CONFIG_DIR) return COIN_CONFIG_DIR;
	if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "coin");
	return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "coin");
}

/** Directory of the user's keys. */
export function dataDirectory(environment: Environment): string {
	const { COIN_DATA_DIR, XDG_DATA_HOME, LOCALAPPDATA } = environment;
	if (COIN_DATA_DIR) return COIN_DATA_DIR;
	if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "coin");
	return join(XDG_DATA_HOME || join(homedir(), ".local", "share"), "coin");
}
