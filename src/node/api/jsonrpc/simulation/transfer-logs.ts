/** Transfers of coins as logs, as Ethereum's tools list them on request: those of a token at the address 0xeeee…. */

import { concatBytes, fromHex } from "../../../../protocol/bytes.js";
import {
	type TransactionInfo,
	TransactionInfoLog,
	type TransferContract,
} from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { TRANSFER_EVENT } from "../../../simulation/movements.js";
import type { TracedCall } from "../../../tracing/call-trace.js";
import { asWord } from "../readings.js";

const COIN = Buffer.alloc(20, 0xee);

/** Kinds of calls that send the value that they carry. */
const SENDING: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

function transferLog(from: Uint8Array, to: Uint8Array, amount: bigint): TransactionInfoLog {
	const topics = [TRANSFER_EVENT, ...[from, to].map((address) => asWord(address.subarray(-20)))];
	const data = asWord(fromHex(amount.toString(16).padStart(64, "0")));
	return TransactionInfoLog.create({ address: concatBytes(COIN), topics, data });
}

/** The logs of a transaction with its transfers, in the order in which both happened. @param root undefined: no contract ran */
export function logsWithTransfers(
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo>,
	root: TracedCall | undefined,
): Readonly<TransactionInfoLog>[] {
	if (root) return callLogs(root);
	if (transaction.type?.name !== "TransferContract") return [...info.log];
	const { owner_address, to_address, amount } = transaction.parameter as TransferContract;
	return amount > 0n ? [transferLog(owner_address, to_address, amount)] : [];
}

function callLogs(call: TracedCall): Readonly<TransactionInfoLog>[] {
	if (call.failure || call.reverted) return [];
	const sends = SENDING.has(call.kind) && call.value > 0n;
	const logs = sends ? [transferLog(call.caller, call.address, call.value)] : [];
	for (let position = 0; position <= call.calls.length; position++) {
		for (const placed of call.logs)
			if (placed.position === position) logs.push(placed.log as TransactionInfoLog);
		const inner = call.calls[position];
		if (inner) logs.push(...(callLogs(inner) as TransactionInfoLog[]));
	}
	return logs;
}
