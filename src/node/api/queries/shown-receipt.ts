/** Information about a transaction as it is shown, in the place of what is recorded. */

import { addressFromHash } from "../../../protocol/address.js";
import type { JsonStyle } from "../../../protocol/json/message-writer.js";
import { ResourceReceipt, TransactionInfo, TransactionInfoLog } from "../../../protocol/messages.js";

const BARE_ADDRESS_LENGTH = 20;

export function shownInfo(style: JsonStyle, info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	return withVisibleLogs(style, withoutStrayEnergy(info));
}

/** Logs carry addresses without their prefix; where addresses are shown as text they get it. */
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

/** Energy of the contract's deployer without any energy used is not shown. */
function withoutStrayEnergy(info: Readonly<TransactionInfo>): Readonly<TransactionInfo> {
	const receipt = info.receipt;
	if (receipt?.energy_usage_total !== 0n || receipt.origin_energy_usage <= 0n) return info;
	const copy = TransactionInfo.copy(info);
	const cleared = ResourceReceipt.copy(receipt);
	cleared.origin_energy_usage = 0n;
	copy.receipt = cleared;
	return copy;
}
