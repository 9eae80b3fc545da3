/** Decodes a tree of calls into functions, values, errors and events, for printing. */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues, keyedValues, viewText } from "../../abi/coder.js";
import { decodeLog } from "../../abi/log.js";
import { type AbiItem, type ContractInterface, hashedSignature } from "../../abi/parameter.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { itemBySelector } from "../abi/interface.js";
import { revertReason } from "../abi/revert.js";
import { inPlainWords } from "../transaction/refusal-advice.js";
import { formatCoin } from "../values/amount.js";
import type { CallNode, TracedLog, TracedOperation } from "./call-tree.js";
import { safeOutput } from "./contract-outcome.js";
import type { InterfaceOf } from "./contract-record.js";

export interface CallView {
	readonly kind: string;
	readonly from: string;
	readonly to: string;
	/** Contract whose code runs, if that is another one. */
	readonly code?: string;
	readonly value?: bigint;
	readonly tokenId?: bigint;
	readonly tokenValue?: bigint;
	/** Signature of the function, if known. */
	readonly function?: string;
	readonly arguments?: { readonly [name: string]: AbiView };
	/** Data of an unknown call; for a creation, only its size is given. */
	readonly input?: string;
	readonly size?: number;
	readonly energy: bigint;
	/** The part of it that is the penalty of dynamic energy. */
	readonly penalty?: bigint;
	readonly result: string;
	readonly returned?: AbiView;
	readonly reason?: string;
	readonly inner?: readonly (CallView | EventView)[];
	/** Stakes, votes, self-destruction. */
	readonly operations?: readonly OperationView[];
}

interface OperationView {
	/** Its name in internal transactions. */
	readonly note: string;
	readonly to?: string;
	readonly value?: bigint;
}

interface EventView {
	readonly kind: "EVENT";
	readonly contract: string;
	readonly event?: string;
	readonly arguments?: { readonly [name: string]: AbiView };
	readonly topics?: readonly string[];
	readonly data?: string;
}

/**
 * Makes a call and everything inside of it readable.
 * @param others what names what neither the contract's own interface does nor that of the contract behind it
 */
export async function viewCall(
	call: CallNode,
	interfaceOf: InterfaceOf,
	others: ContractInterface,
): Promise<CallView> {
	const items = call.kind.startsWith("CREATE") ? [] : await interfaceOf(call.code);
	const selector = call.input.subarray(0, 4);
	const own = itemBySelector(items, selector, "function");
	const all = [...items, ...(own ? [] : await behindProxy(call, interfaceOf)), ...others];
	const item = own ?? itemBySelector(all, selector, "function");
	const inner: (CallView | EventView)[] = [];
	for (const entry of call.inner) {
		inner.push(
			"topics" in entry
				? await viewLog(entry, interfaceOf, items, others)
				: await viewCall(entry, interfaceOf, others),
		);
	}
	return {
		kind: call.kind,
		from: addressText(call.from),
		to: addressText(call.to),
		...(toHex(call.code) === toHex(call.to) ? {} : { code: addressText(call.code) }),
		...(call.valueSun > 0n ? { value: call.valueSun } : {}),
		...(call.token ? { tokenId: call.token.id, tokenValue: call.token.amount } : {}),
		...inputMembers(call, item),
		energy: call.energy,
		...(call.penalty > 0n ? { penalty: call.penalty } : {}),
		result: call.end,
		...(await outputMembers(call, item, all)),
		...(inner.length > 0 ? { inner } : {}),
		...(call.operations.length > 0 ? { operations: call.operations.map(viewOperation) } : {}),
	};
}

/** The interface of the code to which a proxy forwards the same input; empty for any other call. */
async function behindProxy(call: CallNode, interfaceOf: InterfaceOf): Promise<ContractInterface> {
	if (call.input.length < 4) return [];
	const handedOn = call.inner.find(
		(entry): entry is CallNode =>
			!("topics" in entry) && entry.kind === "DELEGATECALL" && equalBytes(entry.input, call.input),
	);
	return handedOn ? interfaceOf(handedOn.code) : [];
}

function viewOperation({ note, to, valueSun }: TracedOperation): OperationView {
	return {
		note,
		...(to ? { to: addressText(to) } : {}),
		...(valueSun === 0n ? {} : { value: valueSun }),
	};
}

type InputMembers = Pick<CallView, "function" | "arguments" | "input" | "size">;

function inputMembers({ kind, input }: CallNode, item: AbiItem | undefined): InputMembers {
	if (kind.startsWith("CREATE")) return { size: input.length };
	if (item) {
		const values = decoded(item.inputs, input.subarray(4));
		if (values) return { function: hashedSignature(item), arguments: keyedValues(item.inputs, values) };
	}
	return input.length === 0 ? {} : { input: `0x${toHex(input)}` };
}

async function outputMembers(
	{ kind, end, error, output }: CallNode,
	item: AbiItem | undefined,
	items: ContractInterface,
): Promise<Pick<CallView, "returned" | "reason">> {
	if (end === "failed") return { reason: error };
	if (output.length === 0) return {};
	if (end === "revert") {
		const { reason } = await revertReason(output, items);
		return reason === "" ? {} : { reason };
	}
	// A creation returns the contract's code.
	if (kind.startsWith("CREATE")) return {};
	return { returned: await safeOutput(item, output) };
}

/** Decoded values; undefined if the data doesn't match the parameters. */
function decoded(parameters: AbiItem["inputs"], data: Uint8Array): readonly AbiView[] | undefined {
	try {
		return decodeValues(parameters, data);
	} catch (error) {
		if (error instanceof AbiDataError) return undefined;
		throw error;
	}
}

/** Decodes a log by the interface of the code that emitted it, which may be a library's. */
async function viewLog(
	log: TracedLog,
	interfaceOf: InterfaceOf,
	items: ContractInterface,
	others: ContractInterface,
): Promise<EventView> {
	const found = decodeLog(items, log) ?? decodeLog([...(await interfaceOf(log.address)), ...others], log);
	const contract = addressText(log.address);
	if (found) return { kind: "EVENT", contract, event: found.signature, arguments: found.args };
	return {
		kind: "EVENT",
		contract,
		topics: log.topics.map((topic) => `0x${toHex(topic)}`),
		data: `0x${toHex(log.data)}`,
	};
}

/** An address as text; those of precompiled contracts are small numbers. */
function addressText(address: Uint8Array): string {
	const digits = toHex(address).replace(/^0+/, "");
	return digits.length > 0 && digits.length <= 8 ? `0x${digits}` : toBase58Check(addressFromHash(address));
}

/** The tree as lines for people, indented by two spaces per level. */
export function callLines(call: CallView, indent = ""): string[] {
	const target = call.code === undefined ? call.to : `${call.to} with the code of ${call.code}`;
	const called =
		call.size === undefined
			? ` ${call.function === undefined ? (call.input ?? "") : `${nameOf(call.function)}(${valuesText(call.arguments)})`}`
			: ` ${call.size} bytes of code`;
	const paid = [
		...(call.value === undefined ? [] : [` value ${formatCoin(call.value)}`]),
		...(call.tokenValue === undefined ? [] : [` value ${call.tokenValue} units of token ${call.tokenId}`]),
	].join("");
	return [
		`${indent}${call.kind} ${target}${called.trimEnd()}${paid}  energy ${call.energy}${call.penalty === undefined ? "" : ` (penalty ${call.penalty})`}`,
		...(call.inner ?? []).flatMap((entry) =>
			"energy" in entry ? callLines(entry, `${indent}  `) : [`${indent}  ${eventLine(entry)}`],
		),
		...(call.operations ?? []).map((operation) => `${indent}  ${operationLine(operation)}`),
		...endLines(call, `${indent}  `),
	];
}

function endLines({ result, reason, returned }: CallView, indent: string): string[] {
	if (result !== "success")
		return [`${indent}-> ${result}${reason === undefined ? "" : `: ${inPlainWords(reason)}`}`];
	return returned === undefined ? [] : [`${indent}-> ${viewText(returned)}`];
}

function operationLine({ note, to, value }: OperationView): string {
	return [note, ...(to === undefined ? [] : [to]), ...(value === undefined ? [] : [formatCoin(value)])].join(
		" ",
	);
}

function eventLine({ event, arguments: values, topics = [], data }: EventView): string {
	if (event !== undefined) return `EVENT ${nameOf(event)}(${valuesText(values)})`;
	return `EVENT ${topics.join(" ")} ${data ?? ""}`.trimEnd();
}

function nameOf(signature: string): string {
	return signature.slice(0, signature.indexOf("("));
}

function valuesText(values: { readonly [name: string]: AbiView } = {}): string {
	return Object.entries(values)
		.map(([name, value]) => (/^\d+$/.test(name) ? viewText(value) : `${name}: ${viewText(value)}`))
		.join(", ");
}
