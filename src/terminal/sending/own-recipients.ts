/** Checks recipients: contracts, and the user's own keys whose signatures the chain doesn't accept, can't spend what is sent to them. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import type { Actor, TransactionPlan } from "../../wallet/actions/plan.js";
import { recipientFacts, type TransferOptions, transferPlan } from "../../wallet/actions/transfer.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { schemesOff } from "../../wallet/node/post-quantum.js";
import type { Payment } from "../../wallet/transaction/payment-list.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

/**
 * @param recipients 21 bytes each
 * @throws {Failure} `bad_value`
 */
export async function checkOwnRecipients(
	{ client, settings }: { readonly client: NodeClient; readonly settings: Settings },
	recipients: readonly Uint8Array[],
): Promise<void> {
	const addresses = new Set(recipients.map(toBase58Check));
	const { entries } = await listKeystore(settings.keystoreDirectory);
	const own = entries.filter(({ base58, scheme }) => scheme && addresses.has(base58));
	const off = await schemesOff(
		client,
		own.flatMap(({ scheme }) => scheme ?? []),
	);
	const unusable = own.find(({ scheme }) => scheme && off.includes(scheme));
	if (!unusable) return;
	const { name, scheme } = unusable;
	throw new Failure(
		"bad_value",
		`${name} is a key of yours of ${scheme?.name}, whose signatures this chain doesn't take: what is sent there can't be spent`,
		{ sent: false, hint: "--force sends it all the same" },
	);
}

/** Plans one payment after checking its recipient. @throws {Failure} as {@link checkOwnRecipients} and {@link transferPlan} */
export async function paymentPlan(
	actor: Actor,
	payment: Payment,
	options: TransferOptions,
): Promise<TransactionPlan> {
	const recipient = await accountNamed(actor.settings, payment.to);
	const facts = options.offline ? { creates: false } : await recipientFacts(actor.client, recipient);
	if (!options.offline && !options.force) await checkOwnRecipients(actor, [recipient]);
	return transferPlan(actor, { ...payment, recipient, ...facts }, options);
}
