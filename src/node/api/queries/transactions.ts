/** Pending transactions (protocol/http-endpoints §5), and receipts in display form. */

import { addressFromHash } from "../../../protocol/address.js";
import { toHex } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { hashOrderedTexts } from "../../../protocol/json/map-ordered-json.js";
import type { JsonStyle } from "../../../protocol/json/message-writer.js";
import {
	ResourceReceipt,
	TransactionIdList,
	TransactionInfo,
	TransactionInfoLog,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import type { ApiNode } from "../context.js";

const ID_LENGTH = 32;

/** A transaction of the pool. @throws {NamedError} if `id` has not 32 bytes */
export function pendingTransaction({ pool }: ApiNode, id: Uint8Array): SignedTransaction | undefined {
	if (id.length !== ID_LENGTH) throw new NamedError("IllegalArgumentException", null);
	return pool.find(toHex(id));
}

/** The ids of the transactions in the pool, in hex, in the iteration order of a hash set in the network's runtime. */
export function pendingIds({ pool }: ApiNode): TransactionIdList {
	const ids = pool.list().map(({ transaction }) => transaction.idHex);
	return TransactionIdList.create({ txId: hashOrderedTexts(ids) });
}

const BARE_ADDRESS_LENGTH = 20;

/** A receipt in display form. */
export function shownInfo(style: JsonStyle, info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	return withVisibleLogs(style, withoutStrayEnergy(info));
}

/** Log addresses lack the network prefix; it is added where addresses are shown as text. */
export function withVisibleLogs(
	{ visible }: JsonStyle,
	info: Readonly<TransactionInfo>,
): Readonly<TransactionInfo> {
	if (!visible || info.log.length === 0) return info;
	const copy = TransactionInfo.copy(info);
	copy.log = info.log.map((log) => {
		const { length } = log.address;
		if (length === 0 || length > BARE_ADDRESS_LENGTH) return log;
		const bare = new Uint8Array(BARE_ADDRESS_LENGTH);
		bare.set(log.address, BARE_ADDRESS_LENGTH - length);
		return TransactionInfoLog.create({ address: addressFromHash(bare), topics: log.topics, data: log.data });
	});
	return copy;
}

/** The deployer's share of energy is hidden if no energy was used. */
function withoutStrayEnergy(info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	const receipt = info.receipt;
	if (receipt?.energy_usage_total !== 0n || receipt.origin_energy_usage <= 0n) return info;
	const copy = TransactionInfo.copy(info);
	const cleared = ResourceReceipt.copy(receipt);
	cleared.origin_energy_usage = 0n;
	copy.receipt = cleared;
	return copy;
}
