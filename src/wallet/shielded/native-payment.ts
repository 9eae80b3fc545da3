/** Payments with notes of the chain's own pool; proofs cover the header (protocol/shielded §§4 and 10). */

import { toHex } from "../../protocol/bytes.js";
import { ShieldedTransferContract } from "../../protocol/messages.js";
import type { BuildingTools, NoteToSend } from "../../protocol/sapling/descriptions.js";
import { addressOfKeys, keysOfSpendingKey } from "../../protocol/sapling/key-set.js";
import { buildShieldedTransfer } from "../../protocol/sapling/transfer-builder.js";
import type { SignedTransaction, TransactionHeader } from "../../protocol/transaction.js";
import type { TransactionPlan } from "../actions/plan.js";
import { fetchChainParameters } from "../node/chain-parameters.js";
import type { NodeClient } from "../node/node-client.js";
import { contractOf } from "../transaction/contract.js";
import {
	notesToSend,
	notesToSpend,
	outgoingKeyOf,
	outgoingNote,
	type ShieldedPayment,
	spendingKeysOf,
} from "./payment.js";
import type { NativePool } from "./pool.js";

/** Fees if the node doesn't give them: they no longer change on the network (protocol/shielded §2.1). */
const USUAL_FEE = 100_000n;
const CREATING_FEE = 1_000_000n;

/**
 * The chain's fee for a transfer of its own pool, in units of the token.
 * @param creates whether the transfer creates the recipient's account
 */
export async function nativeFee(client: NodeClient, creates: boolean): Promise<bigint> {
	const parameters = await fetchChainParameters(client);
	return creates
		? (parameters.get("getShieldedTransactionCreateAccountFee") ?? CREATING_FEE)
		: (parameters.get("getShieldedTransactionFee") ?? USUAL_FEE);
}

/** Builds the transaction of a payment, with its proofs, for a given header. */
export type NativeProver = (
	payment: NativePayment,
	header: TransactionHeader,
	pool: NativePool,
) => Promise<SignedTransaction>;

/** A payment, with the fee and, for a mint, the account that pays. */
interface NativePayment extends ShieldedPayment {
	/** 21 bytes; only for a mint. */
	readonly from?: Uint8Array | undefined;
	readonly fee: bigint;
}

/** A prover that runs in this process, so that no key leaves it. */
export function nativeProvedHere(tools: BuildingTools): NativeProver {
	return (payment, header, pool) => {
		const { target, value, fee, from } = payment;
		return buildShieldedTransfer(
			{
				...(from ? { from: { address: from, amount: value + fee } } : {}),
				...(payment.spends.length > 0 ? { keys: spendingKeysOf(payment) } : {}),
				spends: notesToSpend(payment, tools.random),
				ovk: outgoingKeyOf(payment, tools.random),
				outputs: outputsOf(payment, tools),
				...(target.kind === "account" ? { to: { address: target.account, amount: value } } : {}),
			},
			header,
			pool.tokenId,
			tools,
		);
	};
}

/** The created notes. The network requires one, so a burn without change creates an empty note to nobody. */
function outputsOf(payment: ShieldedPayment, { random }: Pick<BuildingTools, "random">): NoteToSend[] {
	const notes = notesToSend(payment, random);
	if (notes.length > 0) return notes;
	for (;;) {
		const sk = random(32);
		sk[0] = (sk[0] as number) & 0x0f;
		const nobody = keysOfSpendingKey(sk);
		if (nobody) return [outgoingNote(addressOfKeys(nobody), 0n, new Uint8Array(0), random)];
	}
}

/** Plans a payment with notes of the chain's own pool. */
export function nativePaymentPlan(
	pool: NativePool,
	payment: NativePayment,
	prove: NativeProver,
): TransactionPlan {
	const { kind, from, value, fee } = payment;
	return {
		...contractOf(
			ShieldedTransferContract,
			from ? { transparent_from_address: from, from_amount: value + fee } : {},
		),
		complete: (header) => prove(payment, header, pool),
		result: { kind, fee, spentNotes: payment.spends.map(({ nullifier }) => toHex(nullifier)) },
	};
}
