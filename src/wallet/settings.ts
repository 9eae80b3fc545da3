/**
 * Which node, which keys, which habits: the user's configuration with its profiles (sheet 11 §6). Highest first: flag,
 * environment, profile, top level of the file, built in. Nothing is read from the working directory.
 */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "../protocol/dialect.js";
import { parseCoinAmount } from "./amount.js";
import { parseDuration } from "./duration.js";
import { Failure } from "./failure.js";

export interface Settings {
	readonly profile: string;
	/** Base URLs of the node's servers, without a slash at the end. */
	readonly http: string | undefined;
	readonly solidity: string | undefined;
	readonly jsonrpc: string | undefined;
	/** Id of the genesis block that the node must have, 64 hex digits. */
	readonly genesis: string | undefined;
	/** Spelling used in requests; answers are read in both. */
	readonly dialect: Dialect;
	/** Header name → text, for gateways; values are never printed. */
	readonly headers: Readonly<Record<string, string>>;
	readonly timeoutMs: number;
	/** Whether acting commands ask before they send. */
	readonly confirm: boolean;
	readonly confirmOverSun: bigint;
	readonly maxFeeLimitSun: bigint;
	/** Name or address of the wallet that acts when none is named. */
	readonly wallet: string | undefined;
	readonly keystoreDirectory: string;
	/** The address book. */
	readonly contactsFile: string;
	readonly passwordFile: string | undefined;
	/** Symbol → id or contract. */
	readonly tokens: Readonly<Record<string, string>>;
}

/** The flags that take part; undefined where not given. */
export interface SettingsFlags {
	readonly config?: string | undefined;
	readonly profile?: string | undefined;
	readonly node?: string | undefined;
	readonly timeout?: string | undefined;
	readonly "keystore-dir"?: string | undefined;
	readonly from?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A profile's keys as text, from the file or built in. */
interface Profile {
	readonly text: Readonly<Record<string, string>>;
	readonly headers: Readonly<Record<string, string>>;
	readonly tokens: Readonly<Record<string, string>>;
}

const TEXT_KEYS = [
	"http",
	"solidity",
	"jsonrpc",
	"genesis",
	"dialect",
	"timeout",
	"confirm",
	"confirmOver",
	"maxFeeLimit",
	"wallet",
	"keystoreDir",
	"passwordFile",
	"profile",
] as const;

const BUILT_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	dev: {
		http: "http://127.0.0.1:9090",
		solidity: "http://127.0.0.1:9090",
		jsonrpc: "http://127.0.0.1:9090/jsonrpc",
		dialect: "deployed",
	},
	local: {
		http: "http://127.0.0.1:8090",
		solidity: "http://127.0.0.1:8091",
		jsonrpc: "http://127.0.0.1:8545/jsonrpc",
	},
	main: {
		genesis: "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc",
		dialect: "deployed",
		confirm: "true",
	},
};

const DEFAULT_PROFILE = "local";

const DEFAULTS: Readonly<Record<string, string>> = {
	dialect: "neutral",
	timeout: "10s",
	confirm: "false",
	confirmOver: "1000coin",
	maxFeeLimit: "1000coin",
};

/**
 * Works out the settings of one command.
 * @throws {Failure} `bad_value` for a file that can't be read or a value that isn't one, `usage` for an unknown profile
 */
export async function loadSettings(flags: SettingsFlags, environment: Environment): Promise<Settings> {
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
	const file = await readConfiguration(
		named ?? join(configDirectory(environment), "config.conf"),
		named !== undefined,
	);
	const name = flags.profile ?? COIN_PROFILE ?? file.top.profile ?? DEFAULT_PROFILE;
	const own = file.profiles[name];
	const builtIn = BUILT_IN[name];
	if (!own && !builtIn) {
		const known = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(file.profiles)])].join(", ");
		throw new Failure("usage", `there is no profile "${name}"; the profiles are ${known}`);
	}
	const get = (key: string): string | undefined =>
		own?.text[key] ?? builtIn?.[key] ?? file.top[key] ?? DEFAULTS[key];

	const node = flags.node ?? COIN_NODE;
	const http = baseUrl(node ?? get("http"), node === undefined ? "http" : "--node");
	const sameNode = node === undefined || http === baseUrl(get("http"), "http");
	return {
		profile: name,
		http,
		// A node named on the command line is asked for everything, as gateways serve both views at one address.
		solidity: sameNode ? baseUrl(get("solidity"), "solidity") : http,
		jsonrpc: sameNode ? baseUrl(get("jsonrpc"), "jsonrpc") : undefined,
		genesis: sameNode ? get("genesis") : undefined,
		dialect: oneOf("dialect", get("dialect"), ["neutral", "deployed"]),
		headers: sameNode ? (own?.headers ?? {}) : {},
		timeoutMs: parseDuration(flags.timeout ?? COIN_TIMEOUT ?? (get("timeout") as string)),
		confirm: oneOf("confirm", get("confirm"), ["true", "false"]) === "true",
		confirmOverSun: parseCoinAmount(get("confirmOver") as string),
		maxFeeLimitSun: parseCoinAmount(get("maxFeeLimit") as string),
		wallet: flags.from ?? COIN_FROM ?? get("wallet"),
		keystoreDirectory:
			flags["keystore-dir"] ??
			COIN_KEYSTORE_DIR ??
			(get("keystoreDir") || join(dataDirectory(environment), "keystore")),
		contactsFile: join(dataDirectory(environment), "contacts.json"),
		passwordFile: COIN_PASSWORD_FILE ?? get("passwordFile"),
		tokens: own?.tokens ?? {},
	};
}

/** `COIN_NODE= coin …` takes a variable back for one command. */
function withoutEmpty(environment: Environment): Environment {
	return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

interface Configuration {
	readonly top: Readonly<Partial<Record<string, string>>> & { readonly profile?: string };
	readonly profiles: Readonly<Record<string, Profile>>;
}

/** Reads the file; one that nobody named may be missing. */
async function readConfiguration(path: string, required: boolean): Promise<Configuration> {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return { top: {}, profiles: {} };
		throw new Failure("bad_value", `the configuration ${path} can't be read: ${(error as Error).message}`);
	}
	const [{ parseHocon }, { Section }] = await Promise.all([
		import("../node/config/hocon.js"),
		import("../node/config/section.js"),
	]);
	try {
		const root = Section.root(parseHocon(text, path), path);
		const profiles: Record<string, Profile> = {};
		const section = root.section("profiles");
		for (const name of section.names()) profiles[name] = readProfile(section.section(name));
		return { top: texts(root), profiles };
	} catch (error) {
		throw new Failure("bad_value", (error as Error).message);
	}
}

type ConfigurationSection = ReturnType<typeof import("../node/config/section.js").Section.root>;

function texts(section: ConfigurationSection): Record<string, string> {
	const result: Record<string, string> = {};
	for (const key of TEXT_KEYS) {
		const value = section.optionalText(key);
		if (value !== undefined && value !== "") result[key] = value;
	}
	return result;
}

function readProfile(section: ConfigurationSection): Profile {
	const headers: Record<string, string> = {};
	const headerSection = section.section("headers");
	for (const name of headerSection.names()) {
		const key = quotedKey(name);
		const file = isObject(headerSection, key) ? headerSection.section(key).optionalText("file") : undefined;
		headers[name] = file === undefined ? headerSection.requiredText(key) : readFileSync(file, "utf8").trim();
	}
	const tokens: Record<string, string> = {};
	const tokenSection = section.section("tokens");
	for (const name of tokenSection.names()) tokens[name] = tokenSection.requiredText(quotedKey(name));
	return { text: texts(section), headers, tokens };
}

/** A name with a dot would be taken for a path. */
function quotedKey(name: string): string {
	if (name.includes("."))
		throw new Failure("bad_value", `the configuration key "${name}" may not hold a dot`);
	return name;
}

function isObject(section: ConfigurationSection, key: string): boolean {
	try {
		section.section(key);
		return true;
	} catch {
		// A text in this place: the header's value itself.
		return false;
	}
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

function baseUrl(text: string | undefined, source: string): string | undefined {
	if (text === undefined || text === "") return undefined;
	const withScheme = /^https?:\/\//i.test(text) ? text : `http://${text}`;
	if (!URL.canParse(withScheme) || (/^[a-z]+:\/\//i.test(text) && !/^https?:/i.test(text))) {
		throw new Failure("bad_value", `${source}: "${text}" is no http address`);
	}
	return withScheme.replace(/\/+$/, "");
}

/** Directory of the user's configuration. */
export function configDirectory(environment: Environment): string {
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
