/** Block objects (protocol/json-rpc §7.1). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { wrap } from "../../../../protocol/int64.js";
import { briefReceipts } from "../../../chain/block-store.js";
import type { StateView } from "../../../state/view.js";
import type { RpcValue } from "../method.js";
import {
	addressData,
	data,
	quantity,
	seconds,
	ZERO_ADDRESS,
	ZERO_BLOOM,
	ZERO_HASH_TEXT,
	ZERO_NONCE,
} from "../values.js";
import type { ObjectStyle } from "./style.js";
import { transactionObject } from "./transaction.js";

/** @param full show whole transactions, not only their ids */
export function blockObject(
	state: StateView,
	block: SignedBlock,
	full: boolean,
	style: ObjectStyle,
): RpcValue {
	const { transactions, raw } = block;
	const infos = [...briefReceipts(state, block.number)];
	let gasLimit = 0n;
	let gasUsed = 0n;
	for (const [i, transaction] of transactions.entries()) {
		gasLimit = wrap(gasLimit + (transaction.raw?.fee_limit ?? 0n));
		gasUsed = wrap(gasUsed + (infos[i]?.receipt?.energy_usage_total ?? 0n));
	}
	return {
		baseFeePerGas: "0x0",
		difficulty: "0x0",
		extraData: "0x",
		gasLimit: quantity(gasLimit),
		gasUsed: quantity(gasUsed),
		hash: data(block.id),
		logsBloom: ZERO_BLOOM,
		miner: block.number === 0n ? ZERO_ADDRESS : addressData(block.witness),
		mixHash: ZERO_HASH_TEXT,
		nonce: ZERO_NONCE,
		number: quantity(block.number),
		parentHash: data(block.parentId),
		receiptsRoot: ZERO_HASH_TEXT,
		sha3Uncles: ZERO_HASH_TEXT,
		size: quantity(block.bytes.length),
		stateRoot: data(raw.accountStateRoot),
		timestamp: seconds(block.timestampMs),
		totalDifficulty: "0x0",
		transactions: transactions.map(({ id }, i) =>
			full ? transactionObject(state, block, i, infos[i], style) : data(id),
		),
		transactionsRoot: data(raw.txTrieRoot),
		uncles: [],
	};
}
