/** Log output of a development chain about a block's transactions, limited in number and in text that contracts control. */

import { AbiDataError } from "../../../abi/codec.js";
import { decodeTexts } from "../../../abi/coder.js";
import { type AbiItem, type AbiKind, hashedSignature, isComplete } from "../../../abi/parameter.js";
import { SELECTOR_BYTES, selectorOf } from "../../../abi/selector.js";
import { isSmallEntry, MAX_ENTRIES } from "../../../abi/stored-interface.js";
import { toBase58Check } from "../../../protocol/address.js";
import { toHex, toKey, utf8 } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import {
	type InternalTransaction,
	type TransactionInfo,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import type { ExecutedBlock } from "../../chain/observers.js";
import type { StateView } from "../../state/view.js";
import type { ConstantResult } from "../../vm/contract-machine.js";
import { contractFacts } from "../jsonrpc/contract-facts.js";
import { revertMessage } from "../jsonrpc/revert-reason.js";
import { storedInterfaceOf } from "../queries/contracts.js";
import {
	Implementations,
	type InterfaceNode,
	type KnownInterface,
	knownInterfaces,
} from "../queries/stored-events.js";

/** Maximum number of transactions described per block. */
const MAX_TRANSACTIONS = 50;
/** Maximum length of a name or a reason, in characters. */
const MAX_TEXT = 200;
/** Contracts that a call reached, latest first, whose interfaces are looked through for an error. */
const MAX_REACHED = 20;

const PANIC = toHex(keccak256(utf8("Panic(uint256)")).subarray(0, SELECTOR_BYTES));

type Interfaces = Iterable<KnownInterface>;
type Calls = readonly Pick<InternalTransaction, "transferTo_address">[];

/** One line of fields per transaction, and the number of transactions left out. */
interface BlockReport {
	readonly lines: readonly object[];
	readonly more: number;
}

export function blockReport(
	state: StateView,
	{ block, infos }: ExecutedBlock,
	node: InterfaceNode,
): BlockReport {
	const described = block.transactions.slice(0, MAX_TRANSACTIONS);
	return {
		lines: described.map((transaction, index) => lineOf(state, transaction, infos[index], node)),
		more: block.transactions.length - described.length,
	};
}

/** Undefined members aren't written. */
function lineOf(
	state: StateView,
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
	node: InterfaceNode,
): object {
	const { from, to, value, input } = contractFacts(state, transaction, info);
	const name = transaction.type?.name;
	const result = info?.receipt?.result ?? TransactionResultContractResult.DEFAULT;
	const failed = result > TransactionResultContractResult.SUCCESS;
	const isCall = name === "TriggerSmartContract";
	const runsCode = isCall || name === "CreateSmartContract";
	const abis = isCall ? [...knownInterfaces(node, state, to)] : [];
	return {
		id: transaction.idHex,
		type: name,
		from: shownAddress(from),
		to: shownAddress(to),
		created: name === "CreateSmartContract" && !failed ? shownAddress(info?.contract_address) : undefined,
		function: isCall ? (named(abis, "function", input) ?? selectorText(input)) : undefined,
		value: value === 0n ? undefined : String(value),
		result: failed ? (TransactionResultContractResultEnum.names.get(result) ?? String(result)) : "SUCCESS",
		fee: info && info.fee > 0n ? String(info.fee) : undefined,
		energy: runsCode ? String(info?.receipt?.energy_usage_total ?? 0n) : undefined,
		why:
			failed && info
				? cut(reasonOf(info, errorInterfaces(state, node, abis, info.internal_transactions)))
				: undefined,
	};
}

/** Selectors of name, symbol, decimals, totalSupply, balanceOf, supportsInterface and a beacon's implementation, which nodes and wallets try. */
const PROBES: ReadonlySet<string> = new Set(
	"06fdde03 95d89b41 313ce567 18160ddd 70a08231 01ffc9a7 5c60da1b".split(" "),
);

/**
 * Line fields for a constant call, such as an estimate, that the contract reverted, or that failed.
 * @param ended the reverted call's output and the calls that it made, or how it failed
 * @returns undefined for what nobody asked for: whether a contract is a token, and an estimate's steps below the highest fee limit
 */
export function refusedCall(
	state: StateView,
	transaction: SignedTransaction,
	ended: Pick<ConstantResult, "output" | "internalTransactions"> | Error,
	node: InterfaceNode,
): object | undefined {
	const { from, to, input } = contractFacts(state, transaction, undefined);
	const limit = transaction.raw?.fee_limit ?? 0n;
	const isOfNobody = from.subarray(1).every((byte) => byte === 0);
	const isProbe = isOfNobody && PROBES.has(toHex(input.subarray(0, SELECTOR_BYTES)));
	if (isProbe || (limit > 0n && limit < state.properties.get("MAX_FEE_LIMIT"))) return undefined;
	const abis = to.length > 0 ? [...knownInterfaces(node, state, to)] : [];
	const why = (): string | undefined => {
		if (ended instanceof Error) return ended.message;
		return reasonIn(ended.output, errorInterfaces(state, node, abis, ended.internalTransactions));
	};
	return {
		from: shownAddress(from),
		to: shownAddress(to),
		function: named(abis, "function", input) ?? selectorText(input),
		why: cut(why() ?? "no reason given"),
	};
}

/** The interfaces by which a call's error may be known: those of the contract, then of others it reached, since errors bubble up. */
function* errorInterfaces(
	state: StateView,
	node: InterfaceNode,
	abis: Interfaces,
	calls: Calls,
): Generator<KnownInterface> {
	yield* abis;
	const behind = new Implementations();
	const reached = new Set<string>();
	for (let at = calls.length - 1; at >= 0 && reached.size < MAX_REACHED; at--) {
		const { transferTo_address: address } = calls[at] as Calls[number];
		const key = toKey(address);
		if (!reached.has(key)) yield* knownInterfaces(node, state, address, behind);
		reached.add(key);
	}
}

/**
 * Whether a constant call is a dry run of a transaction: an estimate (it has a fee limit), a deployment, a
 * function the ABI says may write, or one without an ABI that was given a fee limit.
 * @param isTrial whether it was given one
 */
export function triesTransaction(
	state: StateView,
	transaction: SignedTransaction,
	isTrial: boolean,
	node: InterfaceNode,
): boolean {
	const { to, input } = contractFacts(state, transaction, undefined);
	if (to.length === 0 || (transaction.raw?.fee_limit ?? 0n) > 0n) return true;
	const item = itemFor([...knownInterfaces(node, state, to)], "function", input);
	return item ? item.mutability !== "view" && item.mutability !== "pure" : isTrial;
}

const shownAddress = (address: Uint8Array | undefined): string | undefined =>
	address && address.length > 0 ? toBase58Check(address) : undefined;

const selectorText = (input: Uint8Array): string =>
	input.length === 0 ? "no data" : `0x${toHex(input.subarray(0, SELECTOR_BYTES))}`;

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Why an execution failed: the decoded revert reason or error, otherwise the VM's message. */
function reasonOf({ contractResult, resMessage }: Readonly<TransactionInfo>, abis: Interfaces): string {
	const output = contractResult[0] ?? new Uint8Array();
	return reasonIn(output, abis) ?? Buffer.from(resMessage.subarray(0, MAX_TEXT)).toString("utf8");
}

function reasonIn(output: Uint8Array, abis: Interfaces): string | undefined {
	const reason = revertMessage(output);
	if (reason !== undefined) return JSON.stringify(reason.slice(0, MAX_TEXT));
	if (output.length < SELECTOR_BYTES) return undefined;
	const selector = toHex(output.subarray(0, SELECTOR_BYTES));
	if (selector === PANIC) return `Panic(0x${toHex(output.subarray(-1))})`;
	return named(abis, "error", output) ?? `error 0x${selector}`;
}

const bySelector = new WeakMap<KnownInterface, Map<AbiKind, ReadonlyMap<string, AbiItem>>>();

/** Limits on decoding arguments for a log line. */
const ARGUMENTS = { depth: 8, items: 100, slack: 1 << 12 };

/** The function or error matching the selector, with its arguments; only its signature if the data doesn't decode. */
function named(abis: Interfaces, kind: AbiKind, data: Uint8Array): string | undefined {
	const item = itemFor(abis, kind, data);
	if (!item) return undefined;
	try {
		const texts = decodeTexts(item.inputs, data.subarray(SELECTOR_BYTES), ARGUMENTS);
		return cut(`${item.name}(${texts.join(", ")})`);
	} catch (error) {
		if (!(error instanceof AbiDataError)) throw error;
		return cut(hashedSignature(item));
	}
}

function itemFor(abis: Interfaces, kind: AbiKind, data: Uint8Array): AbiItem | undefined {
	const selector = toHex(data.subarray(0, SELECTOR_BYTES));
	for (const abi of abis) {
		const found = itemsOf(abi, kind).get(selector);
		if (found) return found;
	}
	return undefined;
}

function itemsOf(abi: KnownInterface, kind: AbiKind): ReadonlyMap<string, AbiItem> {
	const kinds = bySelector.get(abi) ?? new Map<AbiKind, ReadonlyMap<string, AbiItem>>();
	bySelector.set(abi, kinds);
	const items =
		kinds.get(kind) ??
		new Map(
			("entrys" in abi ? storedInterfaceOf(abi, MAX_ENTRIES) : abi.slice(0, MAX_ENTRIES))
				.filter((item) => item.kind === kind && isSmallEntry(item) && isComplete(item.inputs))
				.map((item) => [toHex(selectorOf(item)), item]),
		);
	kinds.set(kind, items);
	return items;
}
