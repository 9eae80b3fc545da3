/**
 * A command's settings (protocol/command-line §6). In order of precedence: flag, environment, profile, top
 * level of the configuration, built-in value. Nothing is read from the working directory.
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
	/** URL at which a development chain serves its own methods. */
	readonly gateway: string | undefined;
	/** Addresses of the gRPC servers: `host:port`, preceded by `https://` if they use TLS. */
	readonly grpc: string | undefined;
	readonly grpcSolidity: string | undefined;
	/** The `visible` member of raw calls, which chooses the form of addresses and texts; undefined omits it. */
	readonly visible: boolean | undefined;
	/** Genesis block id that the node must have: 64 hexadecimal digits, or the last eight of them. */
	readonly genesis: string | undefined;
	/** A second node, which must also have the reference block of a transaction. */
	readonly referenceNode: string | undefined;
	/** Spelling used in requests; responses are read in either spelling. */
	readonly dialect: Dialect;
	/** Request headers by name, for gateways; their values are never printed. Requests take them from {@link headersFor}. */
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	/** Whether commands that send transactions ask for confirmation. */
	readonly confirm: boolean;
	readonly confirmOverSun: bigint;
	readonly maxFeeLimitSun: bigint;
	/** Default of --fee-limit: an amount with its unit, or `auto`. */
	readonly feeLimit: string;
	/** Name or address of the wallet that is used if none is given. */
	readonly wallet: string | undefined;
	readonly keystoreDirectory: string;
	/** The address book. */
	readonly contactsFile: string;
	readonly passwordFile: string | undefined;
	/** Symbol → id or contract. */
	readonly tokens: Readonly<Record<string, string>>;
	/** URL of an explorer's page on a transaction, containing `{txID}`. */
	readonly explorer: string | undefined;
	readonly configurationFile: string;
	/** Keys of the configuration that are not recognized. */
	readonly unknownKeys: readonly string[];
	/** The origin of each value, by key. */
	readonly origins: Readonly<Record<string, Origin>>;
}

/** Where a value can come from, by descending precedence. */
export type Origin = "flag" | "environment" | "profile" | "built-in profile" | "configuration" | "built in";

/** The flags that affect settings; undefined if not given. */
export interface SettingsFlags {
	readonly config?: string | undefined;
	readonly profile?: string | undefined;
	readonly node?: string | undefined;
	readonly timeout?: string | undefined;
	readonly "keystore-dir"?: string | undefined;
	readonly from?: string | undefined;
}

/**
 * Keys for a node's servers. A built-in profile's values for them don't apply to somebody else's node, and those of the
 * top level, which may be another chain's, only to profiles that name no `http`.
 */
const SERVERS = ["http", "solidity", "jsonrpc", "grpc", "grpcSolidity", "gateway"] as const;
const isServer = (key: string): boolean => SERVERS.some((server) => server === key);

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
 * Determines the settings of a command.
 * @param read a configuration that has already been read
 * @throws {Failure} `bad_value` for an unreadable file or an invalid value, `usage` for an unknown profile
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
	const file = read ?? (await readConfiguration(flags.config ?? COIN_CONFIG, configDirectory(environment)));
	const { profile: chosen } = file.top;
	const name = flags.profile ?? COIN_PROFILE ?? chosen ?? DEFAULT_PROFILE;
	const own = file.profiles[name];
	const builtIn = BUILT_IN[name];
	if (!own && !builtIn) throw unknownProfile(name, Object.keys(file.profiles));
	const ownHttp = baseUrl(own?.text["http"], "http");
	const ownNode = ownHttp !== undefined && !isSameNode(ownHttp, builtIn?.["http"]);
	const hasNode = (own?.text["http"] ?? builtIn?.["http"]) !== undefined;
	const origins: Record<string, Origin> = { profile: originOf(flags.profile, COIN_PROFILE, chosen) };
	const get = (key: string, given?: Given): string | undefined => {
		const sources: readonly (readonly [Origin, string | undefined])[] = [
			["flag", given?.flag === given?.variable ? undefined : given?.flag],
			["environment", given?.variable],
			["profile", own?.text[key]],
			["built-in profile", ownNode && isServer(key) ? undefined : builtIn?.[key]],
			["configuration", hasNode && isServer(key) ? undefined : file.top[key]],
			["built in", DEFAULTS[key]],
		];
		const found = sources.find(([, value]) => value !== undefined);
		if (found) origins[key] = found[0];
		return found?.[1];
	};

	// The framework passes an environment variable as the flag that it corresponds to.
	const node = flags.node ?? COIN_NODE;
	const usual = baseUrl(get("http"), "http");
	const http = node === undefined ? usual : baseUrl(node, "--node");
	const usualOrigin = origins["http"];
	get("http", { flag: flags.node, variable: COIN_NODE });
	const sameNode = node === undefined || (http !== undefined && isSameNode(http, usual));
	// A node of the top level doesn't become the profile's by being named again: it would get the profile's headers.
	if (sameNode && usualOrigin === "configuration") origins["http"] = usualOrigin;
	return {
		profile: name,
		http,
		// A node given on the command line is used for all requests, as gateways serve both views at one address.
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

function unknownProfile(name: string, own: readonly string[]): Failure {
	const known = [...new Set([...Object.keys(BUILT_IN), ...own])].join(", ");
	return new Failure("usage", `there is no profile "${name}"; the profiles are ${known}`);
}

/** Settings that a program passes for its node. */
interface NamedNode {
	readonly node: string;
	readonly solidity?: string;
	readonly dialect?: Dialect;
	readonly timeoutMs?: number;
}

/** Settings for programs that pass their node as an option: no configuration file or keystore is used. */
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

/** A value given by flag or environment variable. */
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

/** Drops empty variables, so that `COIN_NODE= coin …` unsets one for a single command. */
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
	const url = withScheme(text);
	if (!URL.canParse(url) || (/^[a-z]+:\/\//i.test(text) && !/^https?:/i.test(text))) {
		throw new Failure("bad_value", `${source}: "${withoutCredentials(text)}" is not an HTTP address`);
	}
	return url.replace(/\/+$/, "");
}

const withScheme = (address: string): string =>
	/^https?:\/\//i.test(address) ? address : `http://${address}`;
const urlOf = (address: string): URL => new URL(withScheme(address));

/** An address's host name; all names of this machine are `localhost`. */
export function machineOf(address: string): string {
	const { hostname } = urlOf(address);
	return /^(127\.0\.0\.1|\[::1\])$/.test(hostname) ? "localhost" : hostname;
}

/** Scheme, host and port. */
const serverOf = (address: string): string =>
	`${urlOf(address).protocol}//${machineOf(address)}:${urlOf(address).port}`;

/** Whether two base URLs name one node: a gateway may serve several, each under its own path. */
function isSameNode(one: string, other: string | undefined): boolean {
	const nodeOf = (address: string): string => {
		const { username, password, pathname, search } = urlOf(address);
		return [serverOf(address), username, password, pathname.replace(/\/+$/, ""), search].join(" ");
	};
	return other !== undefined && nodeOf(one) === nodeOf(other);
}

/**
 * The profile's headers for a request: none if the address is not on a server of the profile, as they may hold keys. Servers of the top
 * level are those of a profile that names none.
 */
export function headersFor(settings: Settings, address: string): Readonly<Record<string, string>> {
	const own = SERVERS.filter(
		(key) => settings[key] !== undefined && settings.origins[key] !== "configuration",
	);
	const servers = (own.length > 0 ? own : SERVERS).flatMap((key) => settings[key] ?? []).map(serverOf);
	return servers.includes(serverOf(address)) ? settings.headers : {};
}

/** A server's URL for display: user name and password are secrets, and masked. */
export function withoutCredentials<T extends string | undefined>(address: T): T {
	return address?.replace(/^([a-z]+:\/\/)?[^/?#]*@/i, "$1***@") as T;
}

function grpcTarget(key: string, text: string | undefined): string | undefined {
	if (text === undefined || text === "") return undefined;
	const isTarget = /^(https?:\/\/)?(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}\/?$/i.test(text);
	if (!isTarget || !URL.canParse(withScheme(text))) {
		throw new Failure(
			"bad_value",
			`${key} = "${withoutCredentials(text)}" in the configuration: write <host>:<port>`,
		);
	}
	return text;
}

/** Checks the fee limit's text here, so that an error is reported before anything is built. */
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
