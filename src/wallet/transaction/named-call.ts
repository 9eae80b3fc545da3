/** A call with the function and the arguments that it was made of. */

import { type AbiItem, type ContractInterface, hashedSignature } from "../../abi/parameter.js";
import { toHex } from "../../protocol/bytes.js";
import type { JsonRecord } from "../json.js";

export interface NamedCall {
	readonly contract: Uint8Array;
	readonly data: Uint8Array;
	/** The function; undefined where only data was given, whose function is unknown. */
	readonly item: AbiItem | undefined;
	/** The contract's interface, as far as it is known. */
	readonly items: ContractInterface;
	/** Arguments as typed. */
	readonly texts: readonly string[];
}

/** What an envelope says about its call. It must hold no empty list. */
export function callNote({ item, texts }: NamedCall): JsonRecord | undefined {
	if (!item) return undefined;
	return {
		data: { signature: hashedSignature(item), ...(texts.length > 0 ? { arguments: texts } : {}) },
	};
}

/** A call on one line: `transfer(T…, 5)`. */
export function callText({ item, texts, data }: NamedCall): string {
	return item ? `${item.name}(${texts.join(", ")})` : `0x${toHex(data)}`;
}
