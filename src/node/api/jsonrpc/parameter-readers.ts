/** How parameters are read (protocol/json-rpc §3). */

import type { SmartContractABI } from "../../../protocol/messages.js";
import type { ApiContext } from "../context.js";
import { rpcAnswersOf } from "./answers.js";
import type { JsonValue } from "./json-reader.js";
import { invalidParams } from "./rpc-error.js";
import { type BlockTag, isTag } from "./values.js";

/** Of a call: what it is called with. */
export interface CallInput {
	readonly data?: string | null;
	readonly input?: string | null;
}

/** All throw {@link RpcError} or a `NamedError`. */
export interface ParameterReaders {
	/** Tags of which no state is kept. */
	readonly pastStates: readonly BlockTag[];
	/** Tags of which there are no blocks. */
	readonly unknownBlocks: readonly BlockTag[];
	/** A block's number, hexadecimal or decimal. */
	blockNumber(text: string | null): bigint;
	/** A bound of a log filter by its number: hexadecimal only. -1 is the head. */
	filterBound(text: string): bigint;
	/** Whether a text names a block by its id. */
	isHash(text: string | null): boolean;
	/** A block or transaction id. */
	hash(text: string | null): Uint8Array;
	/** The id of the one block of a log filter. */
	filterHash(text: string): Uint8Array;
	/** An address with or without its network prefix. */
	address(text: string | null): Uint8Array;
	/** An address of a log filter. @param refusal what stands before the text that is refused */
	filterAddress(value: JsonValue, refusal: string): Uint8Array;
	topic(value: JsonValue): Uint8Array;
	/** A place in a list of so many; undefined: beyond it. */
	index(text: string | null, length: number): number | undefined;
	/** A slot of a contract's storage: 32 bytes, zeros in front. */
	slot(text: string | null): Uint8Array;
	/** An amount; 0 where it is missing. */
	amount(text: string | null | undefined): bigint;
	/** The energy that `gas` names, paid in full. @param price of a unit in sun */
	feeLimitSun(gas: string | null | undefined, price: bigint): bigint;
	/** The text that a call is called with. */
	inputText(call: CallInput): string | null;
	/** Its bytes. What is wrong with them is told when they are read, or when they are asked for. */
	input(call: CallInput): () => Uint8Array;
	/** As {@link input}, where both names must say the same. */
	agreedInput(call: CallInput): () => Uint8Array;
	/** The interface of a contract, as the text of a list. */
	contractAbi(text: string, visible: boolean): SmartContractABI;
}

/** The readers of the node's release. */
export function readersOf({ node }: Pick<ApiContext, "node">): ParameterReaders {
	return rpcAnswersOf(node.config.node).readers;
}

/** @throws {RpcError} for tags of which there are no blocks */
export function refuseTags({ unknownBlocks }: ParameterReaders, tag: string | null): void {
	const unknown = unknownBlocks.find((known) => isTag(tag, known));
	if (unknown) throw invalidParams(`TAG ${unknown} not supported`);
}
