/** Arguments and groups of flags that several commands share (protocol/command-line §1.2). */

import { resolve } from "node:path";
import { Args, Flags, type Interfaces } from "@oclif/core";
import type { KeystoreEntry } from "../../keystore/keystore.js";
import type { SignerPlace } from "../../keystore/signer/client.js";
import { PUBLIC_NETWORK_NAMES } from "../../protocol/public-networks.js";
import { Failure } from "../../wallet/failure.js";
import { parseCount } from "../../wallet/values/integer-text.js";
import { parseMoment } from "../../wallet/values/moment.js";

// By default the framework reads a missing argument from standard input, which commands must read themselves.

export const required = (description: string) =>
	Args.string({ description, required: true, ignoreStdin: true });

export const optional = (description: string) => Args.string({ description, ignoreStdin: true });

/** Argument of commands about one contract. */
export const contractArgument = { address: required("the contract") };

/** Argument that selects an entry of the keystore. */
export const walletArgument = {
	wallet: required("label or address"),
};

/** A keystore entry as printed by commands, with the file last. */
export function entryRecord({ name, base58, kind, scheme, path, file, signer }: KeystoreEntry): object {
	return { name, address: base58, kind, scheme: scheme?.name, path, signer: signer?.at, file };
}

/** Flags of commands that read or write keys. */
export const keystoreFlags = {
	"keystore-dir": Flags.string({
		description: "directory of the key files",
		helpValue: "<dir>",
		helpGroup: "KEYSTORE",
		env: "COIN_KEYSTORE_DIR",
	}),
};

/** Flag of commands that encrypt keys. */
export const lightFlag = {
	light: Flags.boolean({ description: "encrypt with little memory (n = 4096)" }),
};

/** Flags of commands that connect to a signer, which may be on another machine. */
export const signerFileFlags = {
	certificate: Flags.string({
		description: "own certificate for mutual TLS, in PEM",
		helpValue: "<path>",
		helpGroup: "SIGNER",
	}),
	"certificate-key": Flags.string({
		description: "its key",
		helpValue: "<path>",
		helpGroup: "SIGNER",
	}),
	ca: Flags.string({
		description: "certificate of whoever issued that of the other side",
		helpValue: "<path>",
		helpGroup: "SIGNER",
	}),
};

/** The TLS files with absolute paths; undefined unless all are given. */
export function signerFilesOf({
	certificate,
	"certificate-key": key,
	ca,
}: Interfaces.InferredFlags<typeof signerFileFlags>): SignerPlace["files"] {
	if (certificate === undefined || key === undefined || ca === undefined) return undefined;
	return { certificate: resolve(certificate), key: resolve(key), ca: resolve(ca) };
}

/** Location of a signer, with absolute paths. @throws {Failure} `usage` unless the files are given exactly if it is `tls://…` */
export function signerPlaceOf(
	at: string,
	flags: Interfaces.InferredFlags<typeof signerFileFlags>,
): SignerPlace {
	const files = signerFilesOf(flags);
	if (at.startsWith("tls:") && files) return { at, files };
	const isAny = flags.certificate ?? flags["certificate-key"] ?? flags.ca;
	if (!at.startsWith("tls:") && isAny === undefined) return { at: resolve(at) };
	throw new Failure(
		"usage",
		"a signer at tls://host:port needs --certificate, --certificate-key and --ca, a socket none",
	);
}

/** Flags of commands that need a password. */
export const passwordFlags = {
	"password-file": Flags.string({
		description: "file with the password, - for standard input (default: asked on the terminal)",
		helpValue: "<path>",
		helpGroup: "KEYSTORE",
	}),
};

/** The values of {@link passwordFlags}. */
export type PasswordFlags = Interfaces.InferredFlags<typeof passwordFlags>;

/** Flags of commands that connect to a node. */
export const nodeFlags = {
	profile: Flags.string({
		description: "network profile of the configuration",
		helpValue: "<name>",
		helpGroup: "NODE",
		env: "COIN_PROFILE",
	}),
	node: Flags.string({
		char: "n",
		description: "address of the node's HTTP API",
		helpValue: "<url>",
		helpGroup: "NODE",
		env: "COIN_NODE",
	}),
	timeout: Flags.string({
		description: "time for each request, such as 10s",
		helpValue: "<duration>",
		helpGroup: "NODE",
		env: "COIN_TIMEOUT",
	}),
};

/** Completes a hint that suggests a command, so that it uses the same node. @param flags values of {@link nodeFlags} */
export function askingSameNode(
	failure: Failure,
	{ profile, node }: { readonly profile?: string | undefined; readonly node?: string | undefined },
): Failure {
	const { COIN_PROFILE, COIN_NODE } = process.env;
	// Doesn't print a URL with a password, nor what comes from the environment, which will be the same again.
	const server = node === undefined || node === COIN_NODE || node.includes("@") ? "" : ` --node ${node}`;
	const more = `${server}${profile === undefined || profile === COIN_PROFILE ? "" : ` --profile ${profile}`}`;
	const hint = failure.facts.hint?.replace(/coin tx wait [0-9a-f]{64}/, `$&${more}`);
	return hint === undefined || more === "" ? failure : failure.with({ hint });
}

/** Flag of state queries that nodes with state history can answer for any block. */
export const blockFlag = {
	block: Flags.string({
		description: "state right after a block: a number, a 64-digit id, head, solid, earliest",
		helpValue: "<block>",
		helpGroup: "NODE",
		exclusive: ["solidity"],
	}),
};

/** Resource of a delegated stake. */
export const resourceFlag = Flags.string({
	description: "bandwidth or energy",
	helpValue: "bandwidth|energy",
	required: true,
});

/** Resource of an account's own stake. */
export const stakeFlag = Flags.string({
	description: "bandwidth, energy or votes",
	helpValue: "bandwidth|energy|votes",
	required: true,
});

/** Flag of queries that can be answered from irreversible blocks only. */
export const solidityFlag = {
	solidity: Flags.boolean({ description: "ask the solidity API (irreversible state)", helpGroup: "NODE" }),
};

/** The values of {@link solidityFlag}. */
export type SolidityFlags = Interfaces.InferredFlags<typeof solidityFlag>;

/** Flag of commands that may take long. */
export const progressFlag = {
	progress: Flags.option({
		options: ["json"] as const,
		description: "tell of the progress in lines of JSON on standard error",
		helpGroup: "GENERAL",
	})(),
};

/** The values of {@link progressFlag}. */
export type ProgressFlags = Interfaces.InferredFlags<typeof progressFlag>;

// Flags of commands on a data directory that no node has open.

/** Flags that determine the chain, together with the configuration file. */
export const chainFlags = {
	network: Flags.option({
		options: PUBLIC_NETWORK_NAMES,
		description: "public network, by its name; a configuration file counts before what it says, key by key",
	})(),
	"shielded-params": Flags.string({
		description: "folder of the parameters that shielded proofs are checked with; none: they aren't checked",
		helpValue: "<dir>|none",
	}),
};

export const directoryFlags = {
	...chainFlags,
	config: Flags.string({
		char: "c",
		description: "configuration of the chain; a development chain needs none",
		helpValue: "<file>",
		default: "config.conf",
	}),
	"output-directory": Flags.string({
		char: "d",
		description: "data directory",
		helpValue: "<dir>",
		default: "output-directory",
	}),
};

/** Flags of commands that list what happened (protocol/command-line §1.2). */
export const historyFlags = {
	limit: Flags.string({ description: "at most so many, the newest", helpValue: "<n>" }),
	since: Flags.string({ description: "from a time on", helpValue: "<time>" }),
	until: Flags.string({ description: "up to a time", helpValue: "<time>" }),
	confirmed: Flags.boolean({ description: "only what is irreversible" }),
	format: Flags.option({
		options: ["csv"] as const,
		description: "for spreadsheets: one line a row, amounts with their point",
	})(),
};

type HistoryFlags = Interfaces.InferredFlags<typeof historyFlags>;

/** The values of {@link historyFlags}. Times are in milliseconds since 1970. */
interface RequestedHistory {
	readonly limit: number;
	readonly sinceMs: bigint | undefined;
	readonly untilMs: bigint | undefined;
}

/** @param usual default of `--limit` @throws {Failure} */
export function requestedHistory(flags: HistoryFlags, usual: number): RequestedHistory {
	const limit = flags.limit === undefined ? usual : Number(parseCount(flags.limit));
	const [sinceMs, untilMs] = [readTime(flags.since), readTime(flags.until)];
	if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
		throw new Failure("bad_value", "--since is later than --until");
	}
	return { limit, sinceMs, untilMs };
}

function readTime(text: string | undefined): bigint | undefined {
	if (text === undefined) return undefined;
	const moment = parseMoment(text);
	if ("atMs" in moment) return moment.atMs;
	throw new Failure("bad_value", `"${text}" is not a time: write it like 2026-12-24T18:00Z`);
}
