/** What contracts answer, for printing: results, reverts and logs by the contract's interface (protocol/command-line §1.5). */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues, viewAddress } from "../../abi/coder.js";
import { decodeLog } from "../../abi/log.js";
import { type AbiItem, type ContractInterface, isComplete } from "../../abi/parameter.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../protocol/messages.js";
import { revertReason } from "../abi/revert.js";
import { Failure } from "../failure.js";
import { type ContractCall, refusalByContract } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";
import { type FeeLimit, feeLimitOf, type RequestedFeeLimit } from "../values/fee-limit.js";

/** The results of a function: one value by itself, several as a list; hexadecimal where the types aren't known. */
export async function outputView(item: AbiItem | undefined, output: Uint8Array): Promise<AbiView> {
	const outputs = item?.outputs;
	const isKnown = outputs && isComplete(outputs) && (outputs.length > 0 || output.length === 0);
	if (!isKnown) return `0x${toHex(output)}`;
	const values = decodeValues(outputs, output);
	const [only] = values;
	return values.length === 1 ? (only as AbiView) : values;
}

/** A refusal by a contract, with the reason in the contract's own words. */
export async function explainRevert(error: unknown, items: ContractInterface): Promise<unknown> {
	if (!(error instanceof Failure) || error.code !== "contract_revert") return error;
	const data = error.facts.details?.["data"];
	if (typeof data !== "string") return error;
	const { reason, error: name, arguments: values } = await revertReason(fromHex(data.slice(2)), items);
	return refusalByContract(reason, {
		...error.facts,
		details: { reason: reason || undefined, error: name, arguments: values, data },
	});
}

/**
 * How much a call may cost at most; a refusal by the contract is told in its own words.
 * @param items the contract's interface, asked for only then
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
		throw await explainRevert(error, await items());
	}
}

/** Members of an acting result that a contract's receipt gives. */
export async function receiptView(
	receipt: Readonly<TransactionInfo>,
	item: AbiItem | undefined,
	items: ContractInterface,
): Promise<object> {
	const output = receipt.contractResult[0] ?? new Uint8Array(0);
	const reverted = receipt.receipt?.result === TransactionResultContractResult.REVERT;
	const logs = await Promise.all(
		receipt.log.map(async ({ address, topics, data }) => ({
			contract: viewAddress(address),
			...(decodeLog(items, { topics, data }) ?? {
				topics: topics.map((topic) => `0x${toHex(topic)}`),
				data: `0x${toHex(data)}`,
			}),
		})),
	);
	return {
		...(reverted ? await revertMembers(output, items) : {}),
		...(!reverted && output.length > 0 && item ? { returned: await safeOutput(item, output) } : {}),
		...(logs.length > 0 ? { logs } : {}),
	};
}

async function revertMembers(output: Uint8Array, items: ContractInterface): Promise<object> {
	const { reason } = await revertReason(output, items);
	return reason === "" ? {} : { reason };
}

/** A result that doesn't fit the declared types is shown as it came: the transaction stands all the same. */
async function safeOutput(item: AbiItem, output: Uint8Array): Promise<AbiView> {
	try {
		return await outputView(item, output);
	} catch (error) {
		if (!(error instanceof AbiDataError)) throw error;
		return `0x${toHex(output)}`;
	}
}
