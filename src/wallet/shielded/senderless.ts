/** Transactions paid by notes of the chain's own pool, unowned and unsigned (protocol/shielded §4). */

import type { TransactionPlan } from "../actions/plan.js";
import { Failure } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import { type BuildRequest, headerFor } from "../transaction/build.js";
import { envelopeOf, type TransactionEnvelope } from "../transaction/envelope.js";
import { checkReference } from "../transaction/second-source.js";

/**
 * Builds the transaction of a plan, with its proofs, ready to be broadcast.
 * @param options memo, expiry and reference block
 * @throws {Failure}
 * @throws {ProvingError}
 */
export async function senderlessEnvelope(
	client: NodeClient,
	plan: TransactionPlan,
	options: Pick<BuildRequest, "memo" | "expiry" | "reference"> = {},
): Promise<TransactionEnvelope> {
	if (!plan.complete) throw new Failure("internal", "a transaction without a sender is made of proofs");
	const { type, parameter } = plan;
	const header = await headerFor(client, { type, parameter, ...options }, Date.now());
	const transaction = await plan.complete(header);
	await checkReference(client, transaction);
	return envelopeOf(transaction);
}
