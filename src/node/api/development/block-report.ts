/** What the log of a development chain says of the transactions of a block: few of them, and little of what contracts wrote. */

import { type AbiKind, hashedSignature } from "../../../abi/parameter.js";
import { SELECTOR_BYTES, selectorOf } from "../../../abi/selector.js";
import { isSmallEntry, MAX_ENTRIES } from "../../../abi/stored-interface.js";
import { toBase58Check } from "../../../protocol/address.js";
import { toHex, utf8 } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import {
	type SmartContractABI,
	type TransactionInfo,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import type { ExecutedBlock } from "../../chain/observers.js";
import type { StateView } from "../../state/view.js";
import { contractFacts } from "../jsonrpc/contract-facts.js";
import { revertMessage } from "../jsonrpc/revert-reason.js";
import { storedInterfaceOf } from "../queries/contracts.js";

/** Transactions of a block that are described. */
const MAX_TRANSACTIONS = 50;
/** Characters of a name or a reason. */
const MAX_TEXT = 200;

const PANIC = toHex(keccak256(utf8("Panic(uint256)")).subarray(0, SELECTOR_BYTES));

/** The interface of a contract, where one is known. */
type InterfaceOf = (contract: Uint8Array) => Readonly<SmartContractABI> | undefined;

/** Fields of a line, one a transaction, and how many are left out. */
interface BlockReport {
	readonly lines: readonly object[];
	readonly more: number;
}

export function blockReport(
	state: StateView,
	{ block, infos }: ExecutedBlock,
	known: InterfaceOf,
): BlockReport {
	const described = block.transactions.slice(0, MAX_TRANSACTIONS);
	return {
		lines: described.map((transaction, index) => lineOf(state, transaction, infos[index], known)),
		more: block.transactions.length - described.length,
	};
}

/** Members that are undefined aren't written. */
function lineOf(
	state: StateView,
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
	known: InterfaceOf,
): object {
	const { from, to, value, input } = contractFacts(state, transaction, info);
	const name = transaction.type?.name;
	const result = info?.receipt?.result ?? TransactionResultContractResult.DEFAULT;
	const failed = result > TransactionResultContractResult.SUCCESS;
	const isCall = name === "TriggerSmartContract";
	const runsCode = isCall || name === "CreateSmartContract";
	const abi = isCall ? known(to) : undefined;
	return {
		id: transaction.idHex,
		type: name,
		from: shownAddress(from),
		to: shownAddress(to),
		created: name === "CreateSmartContract" && !failed ? shownAddress(info?.contract_address) : undefined,
		function: isCall ? (named(abi, "function", input) ?? selectorText(input)) : undefined,
		value: value === 0n ? undefined : String(value),
		result: failed ? (TransactionResultContractResultEnum.names.get(result) ?? String(result)) : "SUCCESS",
		energy: runsCode ? String(info?.receipt?.energy_usage_total ?? 0n) : undefined,
		why: failed && info ? cut(reasonOf(info, abi)) : undefined,
	};
}

const shownAddress = (address: Uint8Array | undefined): string | undefined =>
	address && address.length > 0 ? toBase58Check(address) : undefined;

const selectorText = (input: Uint8Array): string =>
	input.length === 0 ? "no data" : `0x${toHex(input.subarray(0, SELECTOR_BYTES))}`;

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Why an execution failed: the reason or the error that it ended with, else the machine's words. */
function reasonOf(
	{ contractResult, resMessage }: Readonly<TransactionInfo>,
	abi: ReturnType<InterfaceOf>,
): string {
	const output = contractResult[0] ?? new Uint8Array();
	const reason = revertMessage(output);
	if (reason !== undefined) return JSON.stringify(reason.slice(0, MAX_TEXT));
	if (output.length >= SELECTOR_BYTES) {
		const selector = toHex(output.subarray(0, SELECTOR_BYTES));
		if (selector === PANIC) return `Panic(0x${toHex(output.subarray(-1))})`;
		return named(abi, "error", output) ?? `error 0x${selector}`;
	}
	return Buffer.from(resMessage.subarray(0, MAX_TEXT)).toString("utf8");
}

const bySelector = new WeakMap<Readonly<SmartContractABI>, Map<AbiKind, ReadonlyMap<string, string>>>();

/** The signature of a function or error whose selector stands in front of the data. */
function named(abi: ReturnType<InterfaceOf>, kind: AbiKind, data: Uint8Array): string | undefined {
	if (!abi || data.length < SELECTOR_BYTES) return undefined;
	const kinds = bySelector.get(abi) ?? new Map<AbiKind, ReadonlyMap<string, string>>();
	bySelector.set(abi, kinds);
	const items =
		kinds.get(kind) ??
		new Map(
			storedInterfaceOf(abi, MAX_ENTRIES)
				.filter((item) => item.kind === kind && isSmallEntry(item))
				.map((item) => [toHex(selectorOf(item)), cut(hashedSignature(item))]),
		);
	kinds.set(kind, items);
	return items.get(toHex(data.subarray(0, SELECTOR_BYTES)));
}
