/** Decodes what contracts return, for printing: results, reverts and logs, by the contract's interface (protocol/command-line §1.5). */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues, namedValues, viewAddress, viewText } from "../../abi/coder.js";
import { type DecodedEvent, decodeLog, type LogData } from "../../abi/log.js";
import { type AbiItem, type ContractInterface, isComplete } from "../../abi/parameter.js";
import { topicOf } from "../../abi/selector.js";
import { addressFromHash } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../protocol/messages.js";
import { revertReason } from "../abi/revert.js";
import { parseSignature } from "../abi/signature.js";
import type { Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import { type ContractCall, refusalByContract } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";
import { type FeeLimit, feeLimitOf, type RequestedFeeLimit } from "../values/fee-limit.js";
import { implementationInterface, MAX_CONTRACTS, otherInterfaces, ownSource } from "./contract-record.js";

/** Decodes the results of a function: one value by itself, several as a list; hexadecimal if the types aren't known. */
export async function outputView(item: AbiItem | undefined, output: Uint8Array): Promise<AbiView> {
	const outputs = item?.outputs;
	const isKnown = outputs && isComplete(outputs) && (outputs.length > 0 || output.length === 0);
	if (!isKnown) return `0x${toHex(output)}`;
	const values = decodeValues(outputs, output);
	const [only] = values;
	return values.length === 1 ? (only as AbiView) : values;
}

/** Several results of {@link outputView} by their names; the same view if one has no name or shares it. */
export function namedView(item: AbiItem | undefined, view: AbiView): AbiView {
	const outputs = item?.outputs ?? [];
	return outputs.length > 1 && Array.isArray(view) ? namedValues(outputs, view) : view;
}

/**
 * Adds the decoded reason to a failure caused by a contract's revert.
 * @param settings if given, an error that isn't in the interface, such as one of another contract called by this one, is looked up
 *   among common errors and in all saved interfaces
 */
export async function explainRevert(
	error: unknown,
	items: ContractInterface,
	settings?: Pick<Settings, "contactsFile">,
): Promise<unknown> {
	if (!(error instanceof Failure) || error.code !== "contract_revert") return error;
	const data = error.facts.details?.["data"];
	if (typeof data !== "string") return error;
	const { reason, error: name, arguments: values } = await reasonOf(fromHex(data.slice(2)), items, settings);
	return refusalByContract(reason, {
		...error.facts,
		details: { reason: reason || undefined, error: name, arguments: values, data },
	});
}

/** Why a contract reverted, by its own interface, or else by other known interfaces. */
async function reasonOf(
	data: Uint8Array,
	items: ContractInterface,
	settings: Pick<Settings, "contactsFile"> | undefined,
): ReturnType<typeof revertReason> {
	const told = await revertReason(data, items);
	const isNamed = told.error !== undefined || !told.reason.startsWith("0x");
	return isNamed || !settings ? told : revertReason(data, await otherInterfaces(settings));
}

/**
 * The fee limit of a call; if the contract reverts, the failure has the decoded reason.
 * @param items the contract's interface, fetched only in that case
 * @throws {Failure}
 */
export async function callFeeLimit(
	wish: RequestedFeeLimit,
	client: NodeClient,
	call: ContractCall | undefined,
	items: () => Promise<ContractInterface>,
): Promise<FeeLimit> {
	try {
		return await feeLimitOf(wish, client, call);
	} catch (error) {
		if (!(error instanceof Failure) || error.code !== "contract_revert") throw error;
		throw await explainRevert(error, await items(), client.settings);
	}
}

/** A log, decoded if an interface has its event. */
interface LogView extends Partial<DecodedEvent> {
	readonly contract: string;
	readonly topics?: readonly string[];
	readonly data?: string;
}

/** A log on one line, without its contract: `Paid(to: T…, amount: 5)`, or its topics and data. */
export function logText({ event, args, topics = [], data = "0x" }: Partial<LogView>): string {
	return args ? `${event}${viewText(args)}` : [...topics, data].join(" ");
}

/** A contract's execution as recorded in a receipt, decoded by its interface. */
export interface DecodedOutcome {
	readonly reason?: string;
	readonly returned?: AbiView;
	readonly logs?: readonly LogView[];
}

/** The event that an EIP-1967 proxy emits when its implementation changes. */
const UPGRADED = topicOf(parseSignature("Upgraded(address indexed)", "event"));

/**
 * Finds the interface for a log: the given one, the contract's own, that of the contract behind a proxy, then others.
 * @returns a function that takes a contract's address, 20 bytes, and a log
 */
export function logInterfaces(client: NodeClient, given: ContractInterface = []) {
	const interfaceOf = ownSource(client, given);
	const behind = new Map<string, Promise<ContractInterface | undefined>>();
	let others: Promise<ContractInterface> | undefined;
	return async (address: Uint8Array, log: LogData): Promise<ContractInterface> => {
		const key = toHex(address);
		// While logs are followed, the implementation may change.
		if (log.topics[0] && equalBytes(log.topics[0], UPGRADED)) behind.delete(key);
		const items = await interfaceOf(address);
		if (decodeLog(items, log)) return items;
		if (!behind.has(key) && behind.size < MAX_CONTRACTS)
			behind.set(key, implementationInterface(client, addressFromHash(address)));
		others ??= otherInterfaces(client.settings);
		return [...items, ...((await behind.get(key)) ?? []), ...(await others)];
	};
}

/**
 * Members of an acting result that come from a contract's receipt.
 * @param item the called function
 * @param items the interface of the called contract
 * @param client if given, logs of other contracts are decoded by their own interfaces; otherwise only by `items`
 */
export async function receiptView(
	receipt: Readonly<TransactionInfo>,
	item: AbiItem | undefined,
	items: ContractInterface,
	client?: NodeClient,
): Promise<DecodedOutcome> {
	const output = receipt.contractResult[0] ?? new Uint8Array(0);
	const reverted = receipt.receipt?.result === TransactionResultContractResult.REVERT;
	const { contract_address: own } = receipt;
	const interfaceOf = client && logInterfaces(client);
	const logs: LogView[] = [];
	for (const { address, topics, data } of receipt.log) {
		const isOwn = own.length === 0 || equalBytes(own.slice(-20), address.slice(-20));
		const log = { topics, data };
		const found =
			(isOwn ? decodeLog(items, log) : undefined) ??
			decodeLog((await interfaceOf?.(address.slice(-20), log)) ?? items, log);
		logs.push({
			contract: viewAddress(address),
			...(found ?? { topics: topics.map((topic) => `0x${toHex(topic)}`), data: `0x${toHex(data)}` }),
		});
	}
	return {
		...(reverted ? await revertMembers(output, items, client) : {}),
		...(!reverted && output.length > 0 && item ? { returned: await safeOutput(item, output) } : {}),
		...(logs.length > 0 ? { logs } : {}),
	};
}

async function revertMembers(
	output: Uint8Array,
	items: ContractInterface,
	client: NodeClient | undefined,
): Promise<Pick<DecodedOutcome, "reason">> {
	const { reason } = await reasonOf(output, items, client?.settings);
	return reason === "" ? {} : { reason };
}

/** Decodes a result; one that doesn't match the declared types is shown as bytes, since the call is valid all the same. */
export async function safeOutput(item: AbiItem | undefined, output: Uint8Array): Promise<AbiView> {
	try {
		return await outputView(item, output);
	} catch (error) {
		if (!(error instanceof AbiDataError)) throw error;
		return `0x${toHex(output)}`;
	}
}
