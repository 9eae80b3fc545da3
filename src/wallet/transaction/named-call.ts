/** A call with the function and the arguments that it was made of. */

import { type AbiItem, type ContractInterface, hashedSignature } from "../../abi/parameter.js";
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
