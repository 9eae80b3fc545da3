/** What Ethereum's tools read as raw bytes: here those that the network stores and sends, in Protocol Buffers. */

import type { SignedBlock } from "../../../../protocol/block.js";
import { BlockHeader, TransactionInfo } from "../../../../protocol/messages.js";
import { transactionById, transactionInfosOfBlock } from "../../../chain/block-store.js";
import type { ApiContext } from "../../context.js";
import { readersOf } from "../../jsonrpc/answers.js";
import { blockTag } from "../../jsonrpc/lenient/parameters.js";
import { blockBySelector } from "../../jsonrpc/methods/blocks.js";
import { data } from "../../jsonrpc/values.js";
import { checkCount, invalidArguments, readText } from "../arguments.js";
import { type DevelopmentMethod, type DevelopmentMethods, ordinaryContext } from "../method.js";

const ofBlock =
	(raw: (block: SignedBlock, context: ApiContext) => string | readonly string[]): DevelopmentMethod =>
	(development, params) => {
		checkCount(params, 1);
		const context = ordinaryContext(development);
		const block = blockBySelector(context, readText(blockTag(readText(params[0]))));
		if (!block) throw invalidArguments("block not found");
		return raw(block, context);
	};

export const rawMethods: DevelopmentMethods = [
	[["debug_getRawBlock"], ofBlock(({ bytes }) => data(bytes))],
	[["debug_getRawHeader"], ofBlock(({ header }) => data(BlockHeader.encode(header)))],
	[
		["debug_getRawReceipts"],
		ofBlock(({ number }, { state }) =>
			transactionInfosOfBlock(state, number).map((info) => data(TransactionInfo.encode(info))),
		),
	],
	[
		["debug_getRawTransaction"],
		(development, params) => {
			checkCount(params, 1);
			const context = ordinaryContext(development);
			const id = readersOf(context).hash(readText(params[0]));
			// Nothing where there is none, as Ethereum's nodes have it.
			return data(transactionById(context.state, id)?.bytes ?? new Uint8Array());
		},
	],
	// A block that breaks a rule is not kept.
	[["debug_getBadBlocks"], () => []],
];
