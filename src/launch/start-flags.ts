/** Flags of `coin node start` known from the network's node: what each sets, and whether flag or file wins (protocol/configuration §1.2). */

import { Flags, type Interfaces } from "@oclif/core";
import type { SettingPath, StartOptions } from "../node/config/config.js";
import { parsePeerAddress } from "../node/config/peer-config.js";
import { Failure } from "../wallet/failure.js";

const helpGroup = "REFERENCE";
const text = (description: string) => Flags.string({ description, helpGroup });
const onOff = (description: string) => Flags.boolean({ description, helpGroup });
const integer = (description: string) => Flags.integer({ description, helpGroup });
/** A flag that is accepted so that command lines of the network's node work, but causes a warning. */
const idleText = () => Flags.string({ hidden: true });

export const startFlags = {
	witness: Flags.boolean({ char: "w", description: "produce blocks", helpGroup }),
	"private-key": Flags.string({
		char: "p",
		description: "key of the block producer; prefer --private-key-file",
		helpGroup,
	}),
	"private-key-file": text("file with the key of the block producer"),
	"witness-address": text("account for which that key signs"),
	password: text("password of the witness's key file; prefer --password-file"),
	"password-file": text("file with that password, - for standard input"),
	debug: onOff("the contract machine never times out"),
	es: onOff("publish events as event.subscribe says"),
	explorer: onOff(
		"serve the explorer at /explorer/ of the full HTTP port; a development chain does it anyway",
	),
	"p2p-disable": Flags.option({
		options: ["true", "false"] as const,
		description: "no peer network",
		helpGroup,
	})(),
	"fast-forward": onOff("be a fast-forward relay node"),
	"support-constant": onOff("serve constant calls"),
	"max-energy-limit-for-constant": text("energy of a constant call"),
	"lru-cache-size": integer("programs kept in memory"),
	"min-time-ratio": text("lower bound of the machine's time ratio"),
	"max-time-ratio": text("upper bound of the machine's time ratio"),
	"save-cancel-all-unfreeze-v2-details": onOff("keep the details of cancelled unstakings"),
	"storage-db-directory": text("directory of the database inside the data directory"),
	"storage-db-engine": text("database engine"),
	"storage-db-synchronous": text("write through to the disk"),
	"storage-transactionHistory-switch": text("keep receipts"),
	"trust-node": idleText(),
	"long-running-time": Flags.integer({ hidden: true }),
	"contract-parse-enable": text("read logs by the interfaces of their contracts, for events"),
	"log-config": idleText(),
	"save-internaltx": onOff("keep internal transactions"),
	"save-featured-internaltx": onOff("keep those of stake and vote instructions too"),
	"max-connect-number": integer("connections of each HTTP and JSON-RPC listener"),
	"rpc-thread": idleText(),
	"solidity-thread": idleText(),
	"validate-sign-thread": integer("threads that recover signatures"),
	"storage-index-directory": idleText(),
	"storage-index-switch": idleText(),
	"history-balance-lookup": onOff("record the balances of every block"),
};

export type StartFlags = Interfaces.InferredFlags<typeof startFlags>;

/** How a flag affects the configuration. */
type FlagRule =
	| {
			readonly key: SettingPath;
			/**
			 * Which wins if both are given: always the flag; the file up to release 4.8.1, later the flag; the file, even
			 * without the key, up to 4.8.1, later the flag.
			 */
			readonly wins: "flag" | "file first" | "file alone first";
			/** Converts the flag's text to the key's value. @throws {Failure} */
			readonly read?: (text: string, flag: string) => bigint | number | boolean;
	  }
	/** The flag only concerns this run, and has no equivalent key. */
	| { readonly run: true }
	| { readonly idle: string };

const run = { run: true } as const;
const ONE_THREAD = "requests take turns on one thread";

const rules: Readonly<Record<keyof StartFlags & keyof typeof startFlags, FlagRule>> = {
	witness: run,
	"private-key": run,
	"private-key-file": run,
	"witness-address": run,
	password: run,
	"password-file": run,
	debug: run,
	es: run,
	explorer: { key: "node.http.explorer", wins: "flag" },
	"p2p-disable": run,
	"fast-forward": run,
	"support-constant": { key: "vm.supportConstant", wins: "file first" },
	"max-energy-limit-for-constant": {
		key: "vm.maxEnergyLimitForConstant",
		wins: "file first",
		read: wholeNumber,
	},
	"lru-cache-size": { key: "vm.lruCacheSize", wins: "file first" },
	"min-time-ratio": { key: "vm.minTimeRatio", wins: "file first", read: decimal },
	"max-time-ratio": { key: "vm.maxTimeRatio", wins: "file first", read: decimal },
	"save-cancel-all-unfreeze-v2-details": { key: "vm.saveCancelAllUnfreezeV2Details", wins: "flag" },
	"storage-db-directory": { key: "storage.db.directory", wins: "flag" },
	"storage-db-engine": { key: "storage.db.engine", wins: "flag" },
	"storage-db-synchronous": { key: "storage.db.sync", wins: "flag", read: (word) => word === "true" },
	"storage-transactionHistory-switch": { key: "storage.transHistory.switch", wins: "flag" },
	"trust-node": { idle: "this program has no solidity process" },
	"long-running-time": { idle: "the network's node only logs calls that take longer" },
	"contract-parse-enable": {
		key: "event.subscribe.contractParse",
		wins: "file alone first",
		read: (word) => word.toLowerCase() === "true",
	},
	"log-config": { idle: "the log has one level, --log-level" },
	"save-internaltx": { key: "vm.saveInternalTx", wins: "file alone first" },
	"save-featured-internaltx": { key: "vm.saveFeaturedInternalTx", wins: "file alone first" },
	"max-connect-number": { key: "node.maxHttpConnectNumber", wins: "file alone first" },
	"rpc-thread": { idle: ONE_THREAD },
	"solidity-thread": { idle: ONE_THREAD },
	"validate-sign-thread": { key: "node.validateSignThreadNum", wins: "file alone first" },
	"storage-index-directory": { idle: "there is no such index" },
	"storage-index-switch": { idle: "there is no such index" },
	"history-balance-lookup": { key: "storage.balance.history.lookup", wins: "file alone first" },
};

/** Given flags that have no effect, each with the reason. */
export function idleFlags(flags: StartFlags): string[] {
	return given(flags).flatMap(([name, , rule]) =>
		"idle" in rule ? [`--${name} has no effect: ${rule.idle}`] : [],
	);
}

/**
 * The command line as start options of the configuration.
 * @param privateKey text of a producer's key
 * @throws {Failure} for a value that can't be read
 */
export function startOptions(
	flags: StartFlags,
	peers: readonly string[],
	privateKey: string | undefined,
): StartOptions {
	const over = new Map<SettingPath, unknown>();
	const standInFirst = new Map<SettingPath, unknown>();
	const newer = new Map<SettingPath, unknown>();
	const flagsThat = { flag: over, "file first": standInFirst, "file alone first": newer } as const;
	if (peers.length > 0) over.set("seed.node.ip.list", peers.map(checkedPeer));
	for (const [name, value, rule] of given(flags)) {
		if (!("key" in rule)) continue;
		const read = rule.read && typeof value === "string" ? rule.read(value, name) : value;
		flagsThat[rule.wins].set(rule.key, read);
	}
	return {
		over,
		standInFirst,
		newer,
		witness: flags.witness,
		...(privateKey === undefined ? {} : { privateKey }),
		...(flags["witness-address"] === undefined ? {} : { witnessAddress: flags["witness-address"] }),
		debug: flags.debug,
		events: flags.es,
		peersDisabled: flags["p2p-disable"] === "true",
		fastForward: flags["fast-forward"],
	};
}

/** Flags that have a value; an empty text counts as none. */
function given(flags: StartFlags): [name: string, value: string | number | boolean, rule: FlagRule][] {
	return Object.entries(rules).flatMap(([name, rule]) => {
		const value = flags[name as keyof typeof rules];
		return value === undefined || value === "" || value === false ? [] : [[name, value, rule]];
	});
}

function checkedPeer(peer: string): string {
	if ((parsePeerAddress(peer)?.port ?? 0) < 1) {
		throw new Failure(
			"usage",
			`Invalid inetSocketAddress: "${peer}", use ipv4:port, [ipv6]:port or name:port`,
		);
	}
	return peer;
}

function wholeNumber(word: string, flag: string): bigint {
	if (!/^\d{1,19}$/.test(word)) throw new Failure("bad_value", `--${flag} "${word}" is not a whole number`);
	return BigInt(word);
}

function decimal(word: string, flag: string): number {
	const value = Number(word);
	if (word.trim() === "" || !Number.isFinite(value) || value < 0) {
		throw new Failure("bad_value", `--${flag} "${word}" is not a number of 0 or more`);
	}
	return value;
}
