/** Transactions of the chain's own shielded pool (protocol/shielded §10). */

import { EMPTY } from "../bytes.js";
import { contractType } from "../contract-types.js";
import { wrap } from "../int64.js";
import { ShieldedTransferContract, SpendDescription } from "../messages.js";
import { buildTransaction, type SignedTransaction, type TransactionHeader } from "../transaction.js";
import {
	type BuildingTools,
	describeOutput,
	describeSpend,
	type NoteToSend,
	type NoteToSpend,
	type SpendingKeys,
	sumOf,
} from "./descriptions.js";
import { ShieldedError } from "./failure.js";
import { shieldedSignHash } from "./redjubjub.js";
import { authorizeSpends, bindValues, type SpendAuthority } from "./spend-authorization.js";

/** A transparent account and its amount, in units of the shielded token. */
interface TransparentParty {
	readonly address: Uint8Array;
	readonly amount: bigint;
}

export interface TransferKeys extends SpendingKeys, SpendAuthority {}

/**
 * Contents of a transaction. Amounts are not checked, as in the network's builder: a transaction is accepted
 * if from - to - fee = values sent - values spent.
 */
export interface TransferPlan {
	readonly from?: TransparentParty | undefined;
	/** Required if notes are spent. */
	readonly keys?: TransferKeys | undefined;
	/** At most one is accepted. */
	readonly spends: readonly NoteToSpend[];
	/** Outgoing viewing key of the new notes. */
	readonly ovk: Uint8Array;
	/** One or two are accepted. */
	readonly outputs: readonly NoteToSend[];
	readonly to?: TransparentParty | undefined;
}

/**
 * Builds a transaction with proofs and signatures, except that of a transparent sender.
 * @throws {ShieldedError} if a part has the wrong length, or can't be proved
 * @throws {ProvingError}
 */
export async function buildShieldedTransfer(
	plan: TransferPlan,
	header: TransactionHeader,
	tokenId: string,
	tools: BuildingTools,
): Promise<SignedTransaction> {
	const { from, to, keys, ovk } = plan;
	if (plan.spends.length > 0 && !keys)
		throw new ShieldedError("notes are spent with keys, and there are none");
	const spends = [];
	for (const spend of plan.spends) spends.push(await describeSpend(tools, keys as TransferKeys, spend));
	const outputs = [];
	for (const output of plan.outputs) outputs.push(await describeOutput(tools, ovk, output));
	const contract = ShieldedTransferContract.create({
		transparent_from_address: from?.address ?? EMPTY,
		from_amount: from?.amount ?? 0n,
		spend_description: spends.map(({ description }) => description),
		receive_description: outputs.map(({ description }) => description),
		transparent_to_address: to?.address ?? EMPTY,
		to_amount: to?.amount ?? 0n,
	});
	const type = contractType("ShieldedTransferContract");
	const signHash = shieldedSignHash(buildTransaction(type, contract, header), tokenId);
	const alphas = plan.spends.map(({ alpha }) => alpha);
	const signatures = keys && (await authorizeSpends(keys, alphas, signHash, tools.random));
	if (signatures) {
		contract.spend_description = spends.map(({ description }, i) =>
			SpendDescription.create({ ...description, spend_authority_signature: signatures[i] as Uint8Array }),
		);
	}
	const balance = wrap(sumOf(plan.spends) - sumOf(plan.outputs));
	contract.binding_signature = bindValues(spends, outputs, balance, signHash, tools.random);
	return buildTransaction(type, contract, header);
}
