/** `coin node audit`: compares a node with another one of the network, block by block. */

import { setTimeout as delay } from "node:timers/promises";
import { Args, Flags } from "@oclif/core";
import { Audit, type AuditCounts, type FoundDifference } from "../../node/audit/audit.js";
import { HttpNode, type NodeAddresses, UnansweredError } from "../../node/audit/http-node.js";
import { parseInt64 } from "../../protocol/int64.js";
import { query } from "../../terminal/base/command-row.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { TextList } from "../../terminal/output/output.js";
import { interruption } from "../../terminal/prompt/interrupt.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { jsonRpcUrl, jsonRpcUrlOf } from "../../wallet/node/json-rpc.js";
import { compareStates } from "../../wallet/node/state-compare.js";

// Audits a range of blocks, or each block as it becomes irreversible.

interface AuditRange {
	/** The first block; default: the common head. */
	readonly from: bigint | undefined;
	/** The last block; undefined: continue with new ones. */
	readonly to: bigint | undefined;
	readonly sleep: (ms: number) => Promise<void>;
	readonly signal: AbortSignal;
	/** Called after every thousand blocks. */
	readonly onProgress: (last: bigint, counts: Readonly<AuditCounts>) => void;
	/** Called once each time a node falls behind. */
	readonly onWaiting: (next: bigint) => void;
}

const PROGRESS_BLOCKS = 1_000;
const WAITING_MS = 1_000;

/**
 * Compares block by block until the first difference, or the end.
 * @returns the first difference, and the last block compared without one
 * @throws {UnansweredError} if a node doesn't answer
 */
export async function runAudit(
	audit: Audit,
	{ from, to, sleep, signal, onProgress, onWaiting }: AuditRange,
): Promise<{ readonly found: FoundDifference | undefined; readonly last: bigint | undefined }> {
	let common = await audit.commonHead();
	let last: bigint | undefined;
	let isWaiting = false;
	for (let number = from ?? common; to === undefined || number <= to; ) {
		if (number > common) {
			common = await audit.commonHead();
			if (number <= common) {
				isWaiting = false;
				continue;
			}
			if (!isWaiting) onWaiting(number);
			isWaiting = true;
			await sleep(WAITING_MS);
			signal.throwIfAborted();
			continue;
		}
		const found = await audit.block(number);
		if (found) return { found, last };
		last = number;
		if (audit.counts.blocks % PROGRESS_BLOCKS === 0) onProgress(number, audit.counts);
		number += 1n;
	}
	return { found: undefined, last };
}

const MAX_RATE = 1_000;

export const NodeAudit = query({
	summary: "Compare a node with another one, block by block, until they differ",
	description:
		"Compared are the ids of blocks, the receipts of all transactions, and a sample of the accounts and contracts that a block " +
		"touched: after the block where both nodes keep the state of past blocks, else at a head that both have. The other node is " +
		"asked over its public HTTP, at a bounded rate, and given time where it says that it is busy. Without --to new blocks are " +
		"waited for, until interrupted. What can't be compared is said once. The exit code is 1 at the first difference, and 130 where an " +
		"interruption came before --to was reached, or before a block was compared.",
	examples: [
		"<%= config.bin %> node audit --against https://node.example",
		"<%= config.bin %> node audit --against http://192.0.2.7:8090 --against-solidity http://192.0.2.7:8091 --from 71000000 --to head",
	],
	result: one(
		record({
			against: "text",
			"equal?": "boolean",
			"last?": "int64",
			blocks: "integer",
			transactions: "integer",
			state: "integer",
			slots: "integer",
			blocksWithoutState: "integer",
			"block?": "int64",
			"blockID?": "hex",
			"seenAt?": "int64",
			differences: list(record({ subject: "text", what: "text", ours: "text", theirs: "text" })),
			notCompared: list("text"),
		}),
	),
	flags: {
		...nodeFlags,
		against: Flags.string({
			required: true,
			description: "address of the other node's HTTP API",
			helpValue: "<url>",
		}),
		"against-solidity": Flags.string({
			description: "address of its HTTP API for irreversible blocks (default: the same)",
			helpValue: "<url>",
		}),
		"against-jsonrpc": Flags.string({
			description: "address of its JSON-RPC, for slots of contracts",
			helpValue: "<url>",
		}),
		from: Flags.string({
			description: "first block (default: the newest that both have)",
			helpValue: "<number>",
		}),
		to: Flags.string({ description: "last block, or head (default: none)", helpValue: "<number>" }),
		sample: Flags.string({
			description: "share of what a block touched whose state is compared, from 0 to 1",
			helpValue: "<share>",
			default: "0.1",
		}),
		rate: Flags.integer({
			description: "requests a second to each node",
			default: 20,
			min: 1,
			max: MAX_RATE,
		}),
	},
	run: async ({ flags, client, print, note }) => {
		const { settings } = client;
		const signal = interruption();
		const sleep = (ms: number): Promise<void> => delay(ms, undefined, { signal });
		const limits = {
			rate: flags.rate,
			timeoutMs: settings.timeoutMs,
			now: () => performance.now(),
			sleep,
			signal,
		};
		const { http, solidity, headers } = settings;
		if (http === undefined)
			throw new Failure("usage", `the profile "${settings.profile}" has no http address`);
		const ours = new HttpNode({ full: http, solidity, jsonrpc: jsonRpcUrl(settings), headers }, limits);
		const theirs = new HttpNode(addressesOf(flags), limits);
		const notCompared: string[] = [];
		const audit = new Audit({
			...{ ours, theirs, sleep, signal },
			sample: shareOf(flags.sample),
			onNotCompared: (reason) => {
				notCompared.push(reason);
				note(reason);
			},
		});
		let last: bigint | undefined;
		let found: FoundDifference | undefined;
		try {
			const from = numberOf("from", flags.from);
			const to = flags.to === "head" ? await audit.commonHead() : numberOf("to", flags.to);
			if (to !== undefined && to < (from ?? 1n)) throw nothingBetween(from, to);
			({ last, found } = await runAudit(audit, {
				...{ from, to, sleep, signal },
				onProgress: (number, { blocks, transactions, state, slots }) => {
					last = number;
					note(
						`block ${number}: compared ${blocks} blocks, ${transactions} receipts, ${state} accounts, ${slots} slots`,
					);
				},
				onWaiting: (number) => note(`waiting until both have block ${number}`),
			}));
		} catch (error) {
			if (error instanceof UnansweredError) throw new Failure("network", error.message);
			if (!signal.aborted) throw error;
		}
		const { number, id, seenAt, differences = [] } = found ?? {};
		const value = {
			...{ against: theirs.name, equal: audit.counts.blocks > 0 ? found === undefined : undefined },
			...{ last, ...audit.counts },
			...{ block: number, blockID: id, seenAt, differences, notCompared },
		};
		print.record(value, {
			...value,
			differences: new TextList(
				differences.map(
					({ subject, what, ours, theirs }) => `${subject} ${what}: ${ours}, the other node: ${theirs}`,
				),
			),
			notCompared: new TextList(notCompared),
		});
		if (found) {
			throw new Failure("fault_found", `the nodes differ at block ${number}`, {
				hint: "coin node status names the fault bundle, where this node has written one",
			});
		}
		if (signal.aborted && (flags.to !== undefined || audit.counts.blocks === 0))
			throw new Failure("interrupted", `interrupted after ${audit.counts.blocks} blocks`);
	},
});

/** @throws {Failure} `bad_value` */
function addressesOf(flags: {
	readonly against: string;
	readonly "against-solidity"?: string | undefined;
	readonly "against-jsonrpc"?: string | undefined;
}): NodeAddresses {
	const url = (text: string): string => {
		const parsed = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
		const isPlain =
			parsed?.username === "" && parsed.password === "" && parsed.search === "" && parsed.hash === "";
		// The value isn't quoted, since it may contain a password.
		if (!isPlain)
			throw new Failure(
				"bad_value",
				"the other node's address is one such as http://192.0.2.7:8090, without a user or a query",
			);
		return text.replace(/\/+$/, "");
	};
	const { against, "against-solidity": solidity, "against-jsonrpc": jsonrpc } = flags;
	return { full: url(against), solidity: solidity && url(solidity), jsonrpc: jsonrpc && url(jsonrpc) };
}

function nothingBetween(from: bigint | undefined, to: bigint): Failure {
	if (from === undefined)
		return new Failure("bad_value", `the newest block that both have is ${to}: there is none to compare`);
	return new Failure("bad_value", `--from ${from} is after ${to}, the last block to compare`);
}

function shareOf(text: string): number {
	const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : 2;
	if (share > 1) throw new Failure("bad_value", `--sample is a share from 0 to 1, not "${text}"`);
	return share;
}

function numberOf(name: string, text: string | undefined): bigint | undefined {
	if (text === undefined) return undefined;
	const number = parseInt64(text);
	if (number === undefined || number < 1n)
		throw new Failure("bad_value", `--${name} is the number of a block, not "${text}"`);
	return number;
}

/** `coin node compare`: compares the state of two nodes. */
export const NodeCompare = query({
	summary: "Compare the states of two nodes by their hashes",
	description:
		"Both follow the hash of their state (node.state.hash). It is compared after the newest final block of which both have " +
		"it: equal means that every entry is. Where it differs, the stores are named, and the first block at which it did, if " +
		"both still keep the hash before it. The exit code is 1 where they differ.",
	examples: ["<%= config.bin %> node compare http://127.0.0.1:8545 http://192.0.2.7:8545"],
	result: one(
		record({
			block: "integer",
			equal: "boolean",
			hashes: list("hex"),
			stores: list("text"),
			"firstDifference?": "integer",
		}),
	),
	args: {
		first: Args.string({ required: true, description: "address at which a node serves JSON-RPC" }),
		second: Args.string({ required: true, description: "the same of the other" }),
	},
	flags: nodeFlags,
	run: async ({ args, client, print }) => {
		const urls = [jsonRpcUrlOf(args.first), jsonRpcUrlOf(args.second)] as const;
		const compared = await compareStates(client, urls);
		print.record(compared);
		if (compared.equal) return;
		throw new Failure("state_differs", `the states after block ${compared.block} differ`);
	},
});
