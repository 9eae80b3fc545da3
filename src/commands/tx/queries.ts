/** `coin tx …`: transactions and their status. */

import { Flags } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { type InternalTransaction, TransactionInfo } from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { accountArgument, accountQuery, command, query } from "../../terminal/base/command-row.js";
import { parseTransactionId, readEach } from "../../terminal/base/node-questions.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import {
	askingSameNode,
	historyFlags,
	keystoreFlags,
	nodeFlags,
	optional,
	progressFlag,
	requestedHistory,
	required,
	solidityFlag,
} from "../../terminal/flags/flags.js";
import { readEnvelopes, transactionArgument } from "../../terminal/input/envelope-stream.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import {
	csvLine,
	HISTORY_COLUMNS,
	HISTORY_SHAPE,
	historyCells,
	inCoins,
} from "../../terminal/output/history-table.js";
import { localTime, printLine, recordLines, TextList } from "../../terminal/output/output.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { either, lines, list, record } from "../../terminal/schema/result-shape.js";
import { messageMembers, stateShape, transactionShape } from "../../terminal/schema/view-shapes.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { member } from "../../wallet/json.js";
import { fetchReceipt } from "../../wallet/node/chain-query.js";
import { historyPath, historyRows } from "../../wallet/node/history-client.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { knownStatus, UNKNOWN_HERE, waitFor } from "../../wallet/node/wait.js";
import { receiptMembers } from "../../wallet/transaction/acting-result.js";
import { transactionSummary } from "../../wallet/transaction/contract-summary.js";
import {
	callMembers,
	callText,
	type DescribedCall,
	describedCall,
} from "../../wallet/transaction/described-call.js";
import { withAdvice } from "../../wallet/transaction/refusal-advice.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction/transaction-view.js";
import { formatCoin, formatCoinNumber } from "../../wallet/values/amount.js";
import { parseDuration } from "../../wallet/values/moment.js";
import { receiptText, transactionText } from "../../wallet/values/parameter-text.js";
import { logText, receiptView } from "../../wallet/view/contract-outcome.js";
import { storedInterface } from "../../wallet/view/contract-record.js";
import { entryOf, type HistoryEntry } from "../../wallet/view/history-entries.js";
import { viewOf } from "../../wallet/view/message-view.js";

/** Arguments of commands on transaction ids: one id, or a list on standard input. */
const idArgument = {
	id: required("transaction id, - for a list on standard input"),
};

/** The ids given by an argument. @throws {Failure} `bad_value`, `stdin_empty` */
async function transactionIds(argument: string): Promise<Uint8Array[]> {
	const input = await argumentOrStdin(argument, "the transaction ids", false);
	if (!input) throw new Failure("usage", "no transaction id");
	return readEach(input, parseTransactionId);
}

export const TxDecode = command({
	summary: "Decode a transaction without a node",
	description:
		"Takes JSON or hex, checks that id, JSON and bytes agree, and recovers the signers. The call of a contract is decoded by --abi, an interface that you have kept, or the list of common signatures.",
	examples: [
		"<%= config.bin %> tx decode < signed.json",
		"<%= config.bin %> tx decode --abi @Store.abi < signed.json",
	],
	args: transactionArgument,
	flags: {
		abi: Flags.string({
			description: "the contract's interface: @file, JSON, or a contract that has the same",
			helpValue: "<json>",
		}),
		raw: Flags.boolean({ description: "hexadecimal input is raw data alone, not a whole transaction" }),
	},
	run: async ({ args, flags, settings, print }) => {
		const loaded = await settings();
		const given = await interfaceFlag(flags.abi, loaded);
		const { contactsFile } = loaded;
		for (const { transaction } of await readEnvelopes(args.transaction, flags.raw)) {
			const call = await describedCall(transaction.parameter, { client: undefined, contactsFile, given });
			const { shown, text } = await shownTransaction(transaction, call);
			print.record(shown, text);
		}
	},
});

export const TxPending = query({
	takesIds: true,
	summary: "List the transactions that wait for a block, or show one of them",
	examples: ["<%= config.bin %> tx pending", "<%= config.bin %> tx pending --count"],
	args: {
		id: optional("transaction id"),
	},
	result: lines(either(record({ txID: "hex" }), transactionShape, "integer")),
	flags: {
		...nodeFlags,
		count: Flags.boolean({ description: "print only how many there are" }),
	},
	run: async ({ args, flags, client, print }) => {
		if (args.id !== undefined) {
			const id = parseTransactionId(args.id);
			const answer = await client.call("gettransactionfrompending", { value: toHex(id) });
			if (Object.keys(answer).length === 0)
				throw new Failure("not_found", `the transaction ${toHex(id)} doesn't wait for a block`);
			const { shown, text } = await shownTransaction(transactionFrom(answer, id), undefined);
			return print.record(shown, text);
		}
		if (flags.count) {
			const size = member(await client.call("getpendingsize", {}), "pendingSize");
			if (typeof size !== "bigint")
				throw new Failure("rpc_error", "the node's answer holds no size of its pool");
			return print.scalar(Number(size));
		}
		const { txId } = await client.call("gettransactionlistfrompending", {});
		const ids = Array.isArray(txId) ? txId : [];
		print.list(
			ids.map((txID) => ({ txID })),
			["txID"],
			"no transactions wait",
		);
	},
});

const DECODED_SHAPE = record({
	"reason?": "text",
	"logs?": list(
		record({
			contract: "address",
			"event?": "text",
			"signature?": "text",
			"args?": "any",
			"topics?": list("hex"),
			"data?": "hex",
		}),
	),
});

export const TxReceipt = query({
	takesIds: true,
	summary: "Show what a transaction did and what it cost",
	description:
		"Events and reasons are read by the interfaces that you keep, those of the node and of the chain; for programs they are in the member decoded.",
	examples: ["<%= config.bin %> tx receipt 4f0c…", "<%= config.bin %> tx receipt 4f0c… --abi @Store.abi"],
	args: idArgument,
	result: lines(record({ ...messageMembers(TransactionInfo), "decoded?": DECODED_SHAPE })),
	flags: { ...nodeFlags, ...solidityFlag, ...keystoreFlags, ...callAbiFlag },
	run: async ({ args, flags, settings, client, view, print }) => {
		const given = await interfaceFlag(flags.abi, settings, client);
		const labels = await readLabels(settings);
		for (const id of await transactionIds(args.id)) {
			const receipt = await fetchReceipt(client, id, view);
			if (!receipt) throw new Failure("not_found", `there is no receipt of ${toHex(id)}: it is in no block`);
			const decoded = await receiptView(receipt, undefined, given ?? [], client);
			const raw = viewOf(receipt);
			print.record(
				{ ...raw, ...(Object.keys(decoded).length > 0 ? { decoded } : {}) },
				recordLines(receiptLines(receipt, raw, decoded)).map((line) => labelled(line, labels)),
			);
		}
	},
});

/** A receipt for people: coins with unit, events by name, and only the size of deployed code. */
function receiptLines(
	receipt: Readonly<TransactionInfo>,
	raw: ReturnType<typeof viewOf>,
	{ reason, logs = [] }: Awaited<ReturnType<typeof receiptView>>,
): object {
	const { contractResult, internal_transactions } = raw;
	const [output] = receipt.contractResult;
	// This is code only for a creation; otherwise it is a result of that length.
	const isCode = output !== undefined && output.length > LONG_RESULT && reason === undefined;
	return {
		...receiptText(raw),
		...(contractResult === undefined || !isCode ? {} : { contractResult: `${output.length} bytes` }),
		...(internal_transactions === undefined
			? {}
			: { internal_transactions: new TextList(receipt.internal_transactions.map(internalText)) }),
		...(reason === undefined ? {} : { resMessage: reason }),
		...(logs.length > 0 ? { log: new TextList(logs.map((log) => `${log.contract}  ${logText(log)}`)) } : {}),
	};
}

/** Describes an internal call: `call TX… to TY… with 5coin`. */
function internalText({
	note,
	caller_address,
	transferTo_address,
	callValueInfo,
	rejected,
}: Readonly<InternalTransaction>): string {
	const moved = callValueInfo
		.filter(({ callValue }) => callValue > 0n)
		.map(({ callValue, tokenId }) =>
			tokenId === "" ? formatCoin(callValue) : `${callValue} units of ${tokenId}`,
		);
	return [
		`${fromUtf8(note)} ${toBase58Check(caller_address)} to ${toBase58Check(transferTo_address)}`,
		...(moved.length > 0 ? [`with ${moved.join(" and ")}`] : []),
		...(rejected ? ["(undone)"] : []),
	].join(" ");
}

/** Longer results are shown to people as their length, in bytes. */
const LONG_RESULT = 320;

export const TxShow = query({
	examples: ["<%= config.bin %> tx show 4f0c…"],
	takesIds: true,
	summary: "Show a transaction",
	description: "Decoded from its bytes; the id and the signers are computed here.",
	args: idArgument,
	result: lines(transactionShape),
	flags: { ...nodeFlags, ...solidityFlag, ...keystoreFlags, ...callAbiFlag },
	run: async ({ args, flags, settings, client, view: asked, print }) => {
		const given = await interfaceFlag(flags.abi, settings, client);
		const labels = await readLabels(settings);
		for (const id of await transactionIds(args.id)) {
			const answer = await client.call("gettransactionbyid", { value: toHex(id) }, asked);
			if (Object.keys(answer).length === 0)
				throw new Failure("not_found", `there is no transaction ${toHex(id)}`);
			const transaction = transactionFrom(answer, id);
			const described = await callOf(transaction, client, given);
			const { shown, text } = await shownTransaction(transaction, described);
			print.record(
				shown,
				recordLines(text).map((line) => labelled(line, labels)),
			);
		}
	},
});

/** A transaction in machine-readable and human-readable form. */
async function shownTransaction(
	transaction: SignedTransaction,
	described: DescribedCall | undefined,
): Promise<{ readonly shown: object; readonly text: object }> {
	const view = await viewTransaction(transaction);
	const call = described && callMembers(described);
	return {
		shown: { ...view, call },
		text: {
			txID: view["txID"],
			summary: transactionSummary(transaction, described?.signature && described.text),
			...transactionText(view),
			...(described ? callText(described) : {}),
		},
	};
}

/** The called function, if the call data can be decoded. */
async function callOf(
	transaction: SignedTransaction,
	client: NodeClient,
	given: ContractInterface | undefined,
): Promise<DescribedCall | undefined> {
	try {
		return await describedCall(transaction.parameter, { client, given });
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}

export const TxStatus = query({
	examples: ["<%= config.bin %> tx status 4f0c…"],
	takesIds: true,
	summary: "Show how far a transaction is",
	args: idArgument,
	result: lines(stateShape),
	flags: nodeFlags,
	run: async ({ args, client, print }) => {
		for (const id of await transactionIds(args.id)) {
			const { state, receipt, result: said } = await knownStatus(client, id);
			const { block, result = said } = receipt ? receiptMembers(receipt) : {};
			print.record({ txID: toHex(id), state, block, result });
		}
	},
});

export const TxWait = query({
	examples: ["<%= config.bin %> tx wait 4f0c…"],
	takesIds: true,
	summary: "Wait until a transaction is irreversible",
	args: {
		id: optional("transaction id; - or none for a list on standard input"),
	},
	result: lines(stateShape),
	flags: {
		...nodeFlags,
		...progressFlag,
		"wait-timeout": Flags.string({
			description: "how long to wait",
			helpValue: "<duration>",
			default: "90s",
		}),
		included: Flags.boolean({ description: "only until it is in a block" }),
	},
	run: async ({ args, flags, client, audience, print, note }) => {
		const timeoutMs = parseDuration(flags["wait-timeout"]);
		const input = await argumentOrStdin(args.id, "the transaction ids", true);
		if (!input) throw new Failure("usage", "no transaction id", { hint: "see --help" });
		for (const id of await readEach(input, parseTransactionId)) {
			const { state, receipt, ...record } = await withProgress("waiting for a block", audience(), () =>
				waitFor(client, id, {
					until: flags.included ? "included" : "solid",
					timeoutMs,
					onUnknown: () => note(UNKNOWN_HERE),
				}),
			).catch((error: unknown) => {
				throw error instanceof Failure ? askingSameNode(error, flags) : error;
			});
			const { block, result = record.result, reason: said } = receipt ? receiptMembers(receipt) : {};
			print.record({ txID: toHex(id), state, block, result });
			if (state !== "failed") continue;
			const reason = (receipt && (await revertOf(client, receipt))) ?? said;
			const why = `${result ?? ""}${reason ? `, ${reason}` : ""}`;
			const failure = new Failure("contract_revert", `the transaction failed: ${why}`, { txID: toHex(id) });
			throw withAdvice(failure, undefined);
		}
	},
});

/** The revert reason, by the interface known to the node; undefined if unknown. */
async function revertOf(client: NodeClient, receipt: Readonly<TransactionInfo>): Promise<string | undefined> {
	const items = await storedInterface(client, receipt.contract_address).catch(() => []);
	return (await receiptView(receipt, undefined, items, client)).reason;
}

const USUAL_COUNT = 20;

export const TxHistory = accountQuery({
	summary: "List the transactions of an account, the newest first",
	description:
		"The node must keep a history (node.history.index = on; development chains do), or be the public gateway. Amounts are " +
		"in coins for people and with --format csv, in sun with --json; what left the account is negative, and its fee is beside it.",
	examples: [
		"<%= config.bin %> tx history alice --limit 5",
		"<%= config.bin %> tx history alice --since 2026-01-01T00:00:00Z --format csv > alice.csv",
	],
	args: accountArgument,
	result: lines(record(HISTORY_SHAPE)),
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...historyFlags,
		direction: Flags.option({
			options: ["in", "out"] as const,
			description: "only what the account received, or only what it sent",
		})(),
		internal: Flags.boolean({ description: "also what contracts sent and received" }),
	},
	run: async ({ flags, client, address, json, print }) => {
		const wish = requestedHistory(flags, USUAL_COUNT);
		const rows = historyRows(
			client,
			historyPath("accounts", address, "transactions"),
			{
				search_internal: String(flags.internal === true),
				only_confirmed: flags.confirmed ? "true" : undefined,
				only_from: flags.direction === "out" ? "true" : undefined,
				only_to: flags.direction === "in" ? "true" : undefined,
				min_timestamp: wish.sinceMs?.toString(),
				max_timestamp: wish.untilMs?.toString(),
			},
			wish.limit,
		);
		const own = toHex(address);
		if (flags.format === "csv") printLine(csvLine(HISTORY_COLUMNS));
		const entries: HistoryEntry[] = [];
		for await (const row of rows) {
			const entry = entryOf(row, own);
			if (flags.format === "csv")
				printLine(csvLine(HISTORY_COLUMNS.map((column) => historyCells(entry)[column])));
			else if (json) print.record(entry);
			else entries.push(entry);
		}
		if (flags.format === "csv" || json) return;
		print.list(
			entries,
			["time", "type", "direction", "counterparty", "amount", "fee", "result", "txID"],
			"no transactions",
			entries.map((entry) => ({ ...entry, ...texts(entry), time: localTime(entry.time) })),
		);
	},
});

function texts({ amount, fee }: HistoryEntry): { readonly amount: string; readonly fee: string } {
	return { amount: inCoins(amount) ?? "?", fee: formatCoinNumber(fee) };
}
