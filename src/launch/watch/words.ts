/**
 * The flags of `coin network watch`, for the command and for a small program that parses simple command lines itself: loading the
 * whole program would take more memory than watching does.
 */

import { parseArgs } from "node:util";
import { DEFAULT_PEER_PORT } from "../../node/network/peer-dialogue.js";
import { Failure } from "../../wallet/failure.js";

interface FlagRow {
	readonly description: string;
	/** Placeholder of the value; absent for a boolean flag. */
	readonly helpValue?: string;
	readonly multiple?: true;
	readonly default?: string;
	readonly options?: readonly string[];
}

export const WATCH_FLAGS = {
	network: { description: "public network to watch", helpValue: "<name>", options: ["main", "nile"] },
	checkpoint: {
		description:
			"witnesses to trust: `main`, a file of `coin witness keys`, or a node's URL, whose word is taken for them (default: the network's own)",
		helpValue: "<file>",
	},
	peer: {
		description: "host:port to take blocks from, instead of the network's seeds",
		helpValue: "<address>",
		multiple: true,
	},
	"network-id": { description: "network id of the peers (default: they are asked)", helpValue: "<n>" },
	address: {
		description: "account or contract whose transactions are shown and proven",
		helpValue: "<address>",
		multiple: true,
	},
	proofs: { description: "directory for their proofs, one file a transaction", helpValue: "<directory>" },
	blocks: { description: "end after so many blocks beyond the first verified head", helpValue: "<n>" },
	timeout: {
		description: "give up without a verified head by then",
		helpValue: "<duration>",
		default: "60s",
	},
} as const satisfies Record<string, FlagRow>;

export interface WatchWords {
	readonly network: string | undefined;
	readonly checkpoint: string | undefined;
	readonly peer: readonly string[];
	readonly "network-id": string | undefined;
	readonly address: readonly string[];
	readonly proofs: string | undefined;
	readonly blocks: string | undefined;
	readonly timeout: string;
}

/** Whether a checkpoint is the URL of a node that is trusted for the witnesses. */
export const isNodeUrl = (checkpoint: string): boolean => /^https?:\/\//.test(checkpoint);

/** General flags that the small program supports. */
const GENERAL = {
	json: { type: "boolean" },
	quiet: { type: "boolean", short: "q" },
	"no-color": { type: "boolean" },
} as const;

/** Parses a command line. @param words those after the command's name @returns undefined if the whole program has to handle them */
export function plainWords(
	words: readonly string[],
): { readonly flags: WatchWords; readonly json: boolean; readonly quiet: boolean } | undefined {
	const rows: [string, FlagRow][] = Object.entries(WATCH_FLAGS);
	const options = Object.fromEntries(
		rows.map(([name, { multiple }]) => [name, { type: "string" as const, multiple: multiple ?? false }]),
	);
	const { tokens } = parseArgs({
		args: [...words],
		options: { ...options, ...GENERAL },
		strict: false,
		tokens: true,
	});
	const found: Record<string, string[]> = {};
	for (const token of tokens) {
		if (token.kind !== "option") return undefined;
		const { name, value } = token;
		const row = rows.find(([known]) => known === name)?.[1];
		if (!row && !Object.hasOwn(GENERAL, name)) return undefined;
		const isFitting = row
			? value !== undefined && (!row.options || row.options.includes(value))
			: value === undefined;
		if (!isFitting || (found[name] && !row?.multiple)) return undefined;
		found[name] = [...(found[name] ?? []), value ?? ""];
	}
	const one = (name: string): string | undefined => found[name]?.[0];
	const flags: WatchWords = {
		network: one("network"),
		checkpoint: one("checkpoint"),
		peer: found["peer"] ?? [],
		"network-id": one("network-id"),
		address: found["address"] ?? [],
		proofs: one("proofs"),
		blocks: one("blocks"),
		timeout: one("timeout") ?? WATCH_FLAGS.timeout.default,
	};
	// The small program can't query a node.
	if (flags.checkpoint !== undefined && isNodeUrl(flags.checkpoint)) return undefined;
	return { flags, json: found["json"] !== undefined, quiet: found["quiet"] !== undefined };
}

/** Reads `host:port` or `[ipv6]:port`, where the port is optional. @throws {Failure} `bad_value` */
export function readPeerAddress(text: string): { host: string; port: number } {
	const [, v6, name, digits] =
		/^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
	const host = v6 ?? name;
	const port = digits === undefined ? DEFAULT_PEER_PORT : Number(digits);
	if (host === undefined || port < 1 || port > 65_535) {
		throw new Failure("bad_value", `"${text}" is not an address: write host:port or [ipv6]:port`);
	}
	return { host, port };
}
