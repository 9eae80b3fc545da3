/** Decodes why a contract reverted: Solidity's own errors, and those that the contract's interface declares. */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues, namedValues, viewText } from "../../abi/coder.js";
import { PANICS } from "../../abi/common-signatures.js";
import type { ContractInterface } from "../../abi/parameter.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { itemBySelector } from "./interface.js";
import { parseSignature } from "./signature.js";

const BUILT_IN: ContractInterface = [
	parseSignature("Error(string message)", "error"),
	parseSignature("Panic(uint256 code)", "error"),
];

/** An error that a contract ended with. */
interface RevertReason {
	/** One sentence or phrase; empty if the contract gave no reason. */
	readonly reason: string;
	/** The error's name if known: `Error`, `Panic`, or a custom error of the contract. */
	readonly error?: string;
	readonly arguments?: AbiView;
}

/** Decodes the data that a revert returned; data that can't be decoded is given in hexadecimal. */
export async function revertReason(data: Uint8Array, items: ContractInterface = []): Promise<RevertReason> {
	if (data.length === 0) return { reason: "" };
	const selector = data.subarray(0, 4);
	const known = itemBySelector(BUILT_IN, selector, "error") ?? itemBySelector(items, selector, "error");
	if (!known) return { reason: plainReason(data) };
	let values: readonly AbiView[];
	try {
		values = decodeValues(known.inputs, data.subarray(4));
	} catch (error) {
		if (!(error instanceof AbiDataError)) throw error;
		return { reason: `0x${toHex(data)}` };
	}
	const [first] = values;
	if (known.name === "Error" && typeof first === "string") return { reason: first, error: "Error" };
	if (known.name === "Panic") {
		return { reason: PANICS[String(first)] ?? `panic ${String(first)}`, error: "Panic", arguments: values };
	}
	return {
		reason: `${known.name}(${values.map(viewText).join(", ")})`,
		error: known.name,
		arguments: namedValues(known.inputs, values),
	};
}

/** Early compilers returned the reason as bare text. */
function plainReason(data: Uint8Array): string {
	const text = fromUtf8(data);
	return data.length % 32 !== 4 && /^[\x20-\x7e]+$/.test(text) ? text : `0x${toHex(data)}`;
}
