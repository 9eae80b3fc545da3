/** Options of a development chain, from flags, environment and the configuration's section `dev` (protocol/development-chain §1.3). */

import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { isOrigin } from "../node/api/development/web-origin.js";
import type { NodeConfig } from "../node/config/config.js";
import { DEVELOPMENT_KEYS, flagOfKey } from "../node/config/development-keys.js";
import { DEVELOPMENT_HD_PATH, DEVELOPMENT_MNEMONIC } from "../node/development/accounts.js";
import type { SealMode } from "../node/development/conditions.js";
import type { DevelopmentOptions } from "../node/development/development.js";
import type { Founding } from "../node/development/directory.js";
import type { ForkFounding } from "../node/fork/fork-facts.js";
import type { Dialect } from "../protocol/dialect.js";
import { Failure } from "../wallet/failure.js";
import { readAddress } from "../wallet/values/address-text.js";
import { parseDuration } from "../wallet/values/moment.js";
import {
	FOUNDING_FLAGS,
	flag,
	foundingOf,
	integer,
	type OptionSource,
	oneOf,
} from "./development-founding.js";

/** Flags that only apply to a development chain. */
export const DEVELOPMENT_FLAGS: readonly string[] = DEVELOPMENT_KEYS.map(flagOfKey);

/** The chosen options, as shown in the listing at start. */
export interface ChosenDevelopment {
	readonly options: DevelopmentOptions;
	readonly mnemonic: string;
	readonly hdPath: string;
	readonly host: string;
	/** Milliseconds that the clock is ahead of the wall clock. */
	readonly clockOffsetMs: bigint;
	/** Whether constant calls end after the chain's CPU time. */
	readonly limitTime: boolean;
}

const DEFAULT_PORTS = {
	port: 9090,
	"http-port": 8090,
	"solidity-port": 8091,
	"jsonrpc-port": 8545,
	"grpc-port": 50051,
	"grpc-solidity-port": 50061,
} as const;

/** Options that are determined by the forked chain, or need a complete state. */
const NOT_ON_A_FORK = [
	"economy",
	"genesis-timestamp",
	"maintenance",
	"network",
	"state",
	"load-state",
	"dump-state",
] as const;

/**
 * The fork requested by options and directory (protocol/development-chain §7); undefined if there is none.
 * @param founding the options with which the directory's chain was created
 * @throws {Failure | ForkError}
 */
async function chosenFork(
	get: OptionSource,
	founding: Founding | undefined,
	warn: (message: string) => void,
): Promise<ForkFounding | undefined> {
	const url = get("fork-url");
	const block = get("fork-block");
	const jsonrpcUrl = get("fork-jsonrpc-url");
	const begun = founding?.fork;
	if (url === undefined && begun === undefined) {
		const lonely = (["fork-block", "fork-jsonrpc-url"] as const).find((name) => get(name) !== undefined);
		if (lonely === undefined) return undefined;
		throw new Failure("usage", `--${lonely} needs --fork-url`);
	}
	const wrong = NOT_ON_A_FORK.find((name) => get(name) !== undefined);
	if (wrong !== undefined) throw new Failure("usage", `--${wrong} can't be given for a fork`);
	if (founding === undefined) return begin({ url: url as string, jsonrpcUrl }, block, warn);
	if (!begun) {
		throw new Failure(
			"start_failed",
			"the data directory holds a development chain that is not a fork; choose another one for --fork-url",
		);
	}
	const made = FOUNDING_FLAGS.find((name) => get(name) !== undefined);
	if (made !== undefined)
		throw new Failure(
			"usage",
			`--${made} can't be given again: the fork of the data directory was made without`,
		);
	if (block !== undefined && block !== begun.number && block.replace(/^0x/, "") !== begun.id) {
		throw new Failure("start_failed", `the data directory forks block ${begun.number}, not ${block}`);
	}
	const place = { url: url ?? begun.url, jsonrpcUrl: jsonrpcUrl ?? begun.jsonrpcUrl };
	return url === undefined && jsonrpcUrl === undefined ? begun : movedTo(place, begun, warn);
}

/** URLs of a fork's source. */
interface SourcePlace {
	readonly url: string;
	readonly jsonrpcUrl: string | undefined;
}

async function begin(
	{ url, jsonrpcUrl }: SourcePlace,
	block: string | undefined,
	warn: (message: string) => void,
): Promise<ForkFounding> {
	const [{ forkRequests }, { beginFork }] = await Promise.all([
		import("../node/fork/fork.js"),
		import("../node/fork/fork-founding.js"),
	]);
	const requests = forkRequests();
	try {
		const { founding, warnings } = await beginFork(requests, url, block, jsonrpcUrl);
		for (const warning of warnings) warn(warning);
		return founding;
	} finally {
		await requests.close();
	}
}

/** Continues a fork whose source has moved to another URL; if it is unreachable, the data read so far is often sufficient. */
async function movedTo(
	place: SourcePlace,
	begun: ForkFounding,
	warn: (message: string) => void,
): Promise<ForkFounding> {
	const { ForkError } = await import("../node/fork/state-source.js");
	const isPublic = begun.kind === "public";
	let found: ForkFounding;
	try {
		// A source that isn't this program can only be read at its head, whichever block that is.
		found = await begin(place, isPublic ? undefined : begun.id, () => undefined);
	} catch (error) {
		if (!(error instanceof ForkError)) throw error;
		warn(`${error.message}; the fork goes on with what was read before`);
		return begun;
	}
	if ((!isPublic && found.id !== begun.id) || found.facts.genesisId !== begun.facts.genesisId)
		throw new Failure(
			"start_failed",
			"the node at --fork-url has another chain than the fork of the data directory",
		);
	return isPublic ? { ...begun, url: found.url, ...ofJsonRpc(found) } : found;
}

const ofJsonRpc = ({ jsonrpcUrl }: ForkFounding): Pick<ForkFounding, "jsonrpcUrl"> =>
	jsonrpcUrl === undefined ? {} : { jsonrpcUrl };

/**
 * Determines the options.
 * @param parameters values of the repeatable `--parameter`
 * @param unlocked values of the repeatable `--unlock`
 * @param founding options with which an existing chain was created; used unless overridden
 * @throws {Failure} `bad_value`
 */
export async function chooseDevelopment(
	get: OptionSource,
	parameters: readonly string[],
	warn: (message: string) => void,
	unlocked: readonly string[] = [],
	founding?: Founding,
): Promise<ChosenDevelopment> {
	const fork = await chosenFork(get, founding, warn);
	const isNew =
		founding === undefined || FOUNDING_FLAGS.some((name) => get(name) !== undefined) || parameters.length > 0;
	const made = isNew && !founding?.fork ? await foundingOf(get, parameters) : (founding as Founding);
	const host = get("host") ?? "127.0.0.1";
	if (!isLoopback(host) && !flag(get, "allow-remote")) {
		throw new Failure("usage", `a development chain gives everybody its keys: ${host} needs --allow-remote`);
	}
	if (!isLoopback(host)) warn(`anyone who reaches ${host} can take every balance of this chain`);
	const start = get("start-time");
	return {
		mnemonic: made.mnemonic ?? DEVELOPMENT_MNEMONIC,
		hdPath: made.hdPath ?? DEVELOPMENT_HD_PATH,
		host,
		clockOffsetMs:
			start === undefined
				? 0n
				: BigInt(integer("start-time", start, 1, Number.MAX_SAFE_INTEGER) - Date.now()),
		limitTime: flag(get, "vm-time-limit"),
		options: {
			...made,
			fork,
			rateLimits: flag(get, "rate-limits"),
			seal: sealMode(get),
			solidLag: BigInt(integer("solid-lag", get("solid-lag") ?? "0", 0, 1_000_000)),
			unstakeDelayMs: BigInt(parseDuration(get("unstake-delay") ?? "60s")),
			unlocked: unlocked.map(unlockedAccount),
			unlockAll: flag(get, "unlock-all"),
			allowedOrigins: (get("allow-origin") ?? "").split(",").filter(Boolean).map(allowedOrigin),
			consoleLog: !flag(get, "no-console-log"),
			...(await stateFiles(get)),
			dialect: oneOf("dialect", get("dialect") ?? "neutral", ["neutral", "deployed"]) as Dialect,
			gatewayDialect: oneOf("dialect", get("dialect") ?? "deployed", ["neutral", "deployed"]) as Dialect,
			ports: {
				gateway: await port(get, "port", host, warn),
				http: await port(get, "http-port", host, warn),
				solidity: await port(get, "solidity-port", host, warn),
				jsonrpc: await port(get, "jsonrpc-port", host, warn),
				grpc: await port(get, "grpc-port", host, warn),
				grpcSolidity: await port(get, "grpc-solidity-port", host, warn),
			},
		},
	};
}

function sealMode(get: OptionSource): SealMode {
	const seconds = get("block-time");
	const seal = flag(get, "no-mining") ? "manual" : (seconds ?? get("seal") ?? "instant");
	if (seal === "instant" || seal === "manual") return seal;
	return { intervalMs: integer("seal", seal, 1, 60) * 1000 };
}

function unlockedAccount(text: string): Uint8Array {
	const address = readAddress(text);
	if (!address) throw new Failure("bad_address", `--unlock "${text}" is not an address`);
	return address;
}

function allowedOrigin(text: string): string {
	const origin = text.trim();
	if (!isOrigin(origin)) {
		throw new Failure(
			"bad_value",
			`--allow-origin "${text}" is not an origin, such as http://localhost:3000`,
		);
	}
	return origin;
}

/** Files for loading and saving the state; `--state` is both: read if it exists, and written at the end. */
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

/** Writes a file atomically, so that an incomplete state never replaces a complete one. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
	const temporary = `${path}.${process.pid}`;
	await writeFile(temporary, bytes);
	await rename(temporary, path);
}

/**
 * Determines a port. A default port that is in use is left out; 0 means any free one, which the system chooses when the
 * server binds, since one that was found beforehand may be taken by then.
 * @returns undefined if nothing is served there
 */
async function port(
	get: OptionSource,
	name: keyof typeof DEFAULT_PORTS,
	host: string,
	warn: (message: string) => void,
): Promise<number | undefined> {
	const given = get(name);
	// Any port for the gateway suggests that several chains run at once.
	if (given === undefined && name !== "port" && get("port") === "0") return undefined;
	const wanted = integer(name, given ?? String(DEFAULT_PORTS[name]), 0, 65535);
	if (wanted === 0 || (await isFree(wanted, host))) return wanted;
	// A development chain is hardly useful without its gateway.
	const isNeeded = given !== undefined || (name === "port" && get("http-port") === undefined);
	if (isNeeded) {
		throw new Failure("start_failed", `port ${wanted} is in use; --${name} chooses another one`, {
			...(name === "port" ? { hint: "--port 0 takes a free one, for a chain beside the one there" } : {}),
		});
	}
	warn(`port ${wanted} is in use: nothing is served there; --${name} chooses another one`);
	return undefined;
}

function isFree(wanted: number, host: string): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "EADDRINUSE") resolve(false);
			else if (error.code === "EACCES")
				reject(new Failure("start_failed", `port ${wanted} may not be used by this user`));
			else
				reject(
					new Failure("start_failed", `the address ${host} can't be used (${error.code ?? error.message})`),
				);
		});
		probe.listen(wanted, host, () => probe.close(() => resolve(true)));
	});
}

/** Whether an address is only reachable from this machine. */
function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || host === "[::1]" || /^127\./.test(host);
}

/** Settings that {@link withServices} uses, and those that are read elsewhere. */
export const TAKEN_SETTINGS =
	/^(?:dev\.|log\.level|event\.subscribe\.|node\.history\.(?:index|database|passwordFile|schema|readOnly)$)/;

/**
 * Adds what a development chain uses from a configuration file besides its section: event receivers, and the history database.
 * @param own the chain's configuration
 * @param file undefined if no file was named
 */
export function withServices(own: NodeConfig, file: NodeConfig | undefined): NodeConfig {
	if (!file) return own;
	// Past states are kept in memory.
	const history = { ...file.node.history, stateBlocks: own.node.history.stateBlocks };
	return { ...own, events: file.events, node: { ...own.node, history } };
}
