/** The user's configuration file (HOCON): keys, profiles, built-in profiles (protocol/command-line §6.2). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PUBLIC_NETWORKS } from "../../protocol/public-networks.js";
import { Failure } from "../failure.js";

/** A profile's keys as text. */
interface Profile {
	readonly text: Readonly<Record<string, string>>;
	/** Header name → text, for gateways. */
	readonly headers: Readonly<Record<string, string>>;
	/** Symbol → id or contract. */
	readonly tokens: Readonly<Record<string, string>>;
}

export interface Configuration {
	/** Path of the file, whether or not it exists. */
	readonly path: string;
	readonly top: Readonly<Partial<Record<string, string>>>;
	readonly profiles: Readonly<Record<string, Profile>>;
	/** Keys that are not recognized, by their full paths. */
	readonly unknown: readonly string[];
}

/** Keys of a profile, each with its meaning. */
export const PROFILE_KEYS: Readonly<Record<string, string>> = {
	http: "address of the full API",
	solidity: "address of the solidity API",
	jsonrpc: "address of the JSON-RPC API",
	grpc: "address of the gRPC API, host:port",
	grpcSolidity: "address of the solidity gRPC API, host:port",
	gateway: "address of a development chain's gateway, which coin dev asks",
	genesis: "id of the genesis block that the node must have, or its last eight digits",
	referenceNode: "address of another node's full API, which must have the block that a transaction refers to",
	visible: "whether coin rpc asks for addresses in Base58 and texts as text",
	dialect: "spelling of requests: neutral or deployed",
	timeout: "time for each request",
	confirm: "whether acting commands ask before they send",
	confirmOver: "amount of coins above which they ask, and need --yes where nobody can be asked",
	maxFeeLimit: "the most that --fee-limit auto chooses",
	feeLimit: "what --fee-limit is without the flag",
	wallet: "the wallet that acts when none is named",
	passwordFile: "file with the password",
	explorer: "address of a page on a transaction, with {txID} in it",
};

/** Keys outside the profiles. */
export const TOP_KEYS: Readonly<Record<string, string>> = {
	...PROFILE_KEYS,
	profile: "the profile in use",
	keystoreDir: "directory of the key files",
};

/** Groups of a profile whose members have names chosen by the user. */
const GROUPS = ["headers", "tokens"];

/** Profiles that need no configuration. The addresses of public gateways are the user's choice. */
export const BUILT_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	dev: {
		http: "http://127.0.0.1:9090",
		solidity: "http://127.0.0.1:9090",
		jsonrpc: "http://127.0.0.1:9090/jsonrpc",
		gateway: "http://127.0.0.1:9090",
		grpc: "127.0.0.1:50051",
		grpcSolidity: "127.0.0.1:50061",
		dialect: "deployed",
	},
	local: {
		http: "http://127.0.0.1:8090",
		solidity: "http://127.0.0.1:8091",
		jsonrpc: "http://127.0.0.1:8545/jsonrpc",
		gateway: "http://127.0.0.1:9090",
		grpc: "127.0.0.1:50051",
		grpcSolidity: "127.0.0.1:50061",
	},
	main: {
		genesis: PUBLIC_NETWORKS.main.genesisId,
		dialect: "deployed",
		confirm: "true",
	},
	nile: { genesis: PUBLIC_NETWORKS.nile.genesisId, dialect: "deployed" },
	shasta: { genesis: "94a9059e", dialect: "deployed" },
};

/**
 * Reads the configuration file; unless it is named explicitly, it may be missing.
 * @param named path given by flag or environment
 * @param directory where it is looked for otherwise
 * @param required whether it must exist
 * @throws {Failure} `bad_value`
 */
export async function readConfiguration(
	named: string | undefined,
	directory: string,
	required = named !== undefined,
): Promise<Configuration> {
	const path = named ?? join(directory, "config.conf");
	const text = configurationText(path, required);
	return text === undefined ? { path, top: {}, profiles: {}, unknown: [] } : parseConfiguration(text, path);
}

/** The file's text; undefined if it is missing but not required. @throws {Failure} `bad_value` */
export function configurationText(path: string, required: boolean): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new Failure("bad_value", `the configuration ${path} can't be read: ${(error as Error).message}`);
	}
}

type Section = ReturnType<typeof import("../../hocon/section.js").Section.root>;

/** Parses the text of a configuration file. @throws {Failure} `bad_value` with the line of an error */
export async function parseConfiguration(text: string, path: string): Promise<Configuration> {
	const [{ parseHocon }, { Section }] = await Promise.all([
		import("../../hocon/hocon.js"),
		import("../../hocon/section.js"),
	]);
	try {
		const root = Section.root(parseHocon(text, path), path);
		const profiles: Record<string, Profile> = {};
		const section = root.section("profiles");
		const unknown = root.names().filter((name) => name !== "profiles" && !Object.hasOwn(TOP_KEYS, name));
		for (const name of section.names()) {
			const profile = section.section(name);
			profiles[name] = readProfile(profile);
			const known = (key: string): boolean => Object.hasOwn(PROFILE_KEYS, key) || GROUPS.includes(key);
			unknown.push(...profile.names().flatMap((key) => (known(key) ? [] : [`profiles.${name}.${key}`])));
		}
		return { path, top: texts(root, Object.keys(TOP_KEYS)), profiles, unknown };
	} catch (error) {
		throw new Failure("bad_value", withoutQuotes((error as Error).message));
	}
}

/** Removes possible secrets: if a file of secrets is named by mistake, the error must not quote them. */
function withoutQuotes(message: string): string {
	const words = /(?:\b[a-z]{3,8}\b ?){11,}/g;
	return message.replace(/[0-9a-f]{64}/gi, "…").replace(words, "…");
}

function texts(section: Section, keys: readonly string[]): Record<string, string> {
	const result: Record<string, string> = {};
	for (const key of keys) {
		const value = section.optionalText(key);
		if (value !== undefined && value !== "") result[key] = value;
	}
	return result;
}

function readProfile(section: Section): Profile {
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
	return { text: texts(section, Object.keys(PROFILE_KEYS)), headers, tokens };
}

/** Quotes a name that contains a dot, which would otherwise be read as a path. */
function quotedKey(name: string): string {
	if (name.includes("."))
		throw new Failure("bad_value", `the configuration key "${name}" may not hold a dot`);
	return name;
}

function isObject(section: Section, key: string): boolean {
	try {
		section.section(key);
		return true;
	} catch {
		// The text here is the header's value itself.
		return false;
	}
}
