/** Balance changes per transaction and block, kept for queries if configured (protocol/blocks §6.4). */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { be64, concatBytes, readBe64 } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import {
	AccountTrace,
	BlockBalanceTrace,
	BlockBalanceTraceBlockIdentifier,
	TransactionBalanceTrace,
	TransactionBalanceTraceOperation,
} from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** Key of an account's balance at a height; later heights sort first. */
export function accountTraceKey(address: Uint8Array, number: bigint): Uint8Array {
	return concatBytes(address, be64(number ^ MAX_INT64));
}

/** The height encoded in such a key. */
export function accountTraceNumber(key: Uint8Array): bigint {
	return readBe64(key.subarray(-8)) ^ MAX_INT64;
}

/** The record of a balance; for 0 it carries a placeholder, so that the record isn't empty. */
export function accountTrace(balance: bigint): AccountTrace {
	return AccountTrace.create({ balance, placeholder: balance === 0n ? 1n : 0n });
}

/** Records the balance changes of one block while it is applied. */
export class BalanceRecorder {
	private readonly transactions: TransactionBalanceTrace[] = [];
	private operations: TransactionBalanceTraceOperation[] | undefined;
	private current: { readonly id: Uint8Array; readonly type: string } | undefined;

	constructor(
		private readonly state: StateView,
		private readonly number: bigint,
	) {
		const key = Buffer.from(accountTraceKey(new Uint8Array(ADDRESS_LENGTH), number));
		state.account.observer = (address, delta, balance) => {
			if (address.length === ADDRESS_LENGTH) {
				key.set(address);
				state.accountTrace.put(key, accountTrace(balance));
			} else state.accountTrace.put(accountTraceKey(address, number), accountTrace(balance));
			this.operations?.push(
				TransactionBalanceTraceOperation.create({
					operation_identifier: BigInt(this.operations.length),
					address,
					amount: delta,
				}),
			);
		};
	}

	startTransaction(id: Uint8Array, type: string): void {
		this.current = { id, type };
		this.operations = [];
	}

	/** @param status name of the transaction's result code */
	finishTransaction(status: string): void {
		if (this.current && this.operations && this.operations.length > 0) {
			this.transactions.push(
				TransactionBalanceTrace.create({
					transaction_identifier: this.current.id,
					operation: this.operations,
					type: this.current.type,
					status,
				}),
			);
		}
		this.current = undefined;
		this.operations = undefined;
	}

	/** Stores the block's record. */
	finishBlock(hash: Uint8Array, timestampMs: bigint): void {
		this.state.balanceTrace.put(
			be64(this.number),
			BlockBalanceTrace.create({
				block_identifier: BlockBalanceTraceBlockIdentifier.create({ hash, number: this.number }),
				timestamp: timestampMs,
				transaction_balance_trace: this.transactions,
			}),
		);
	}

	/** Stops recording; must be called however the block ends. */
	stop(): void {
		this.state.account.observer = undefined;
	}
}
