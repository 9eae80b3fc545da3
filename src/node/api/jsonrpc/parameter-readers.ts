/** How parameters are read (protocol/json-rpc §3). */

import type { ApiContext } from "../context.js";
import { rpcAnswersOf } from "./answers.js";
import { invalidParams } from "./rpc-error.js";
import type { ParameterReaders } from "./strict-readers.js";
import { isTag } from "./values.js";

/** Of a call: what it is called with. */
export interface CallInput {
	readonly data?: string | null;
	readonly input?: string | null;
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
