/** What a user sees when asked to approve a transaction that waits at a signer. */

import type { AwaitingTransaction } from "../../keystore/signer/client.js";
import { toHex } from "../../protocol/bytes.js";
import { describedCall } from "../transaction/described-call.js";
import { readEnvelope } from "../transaction/envelope.js";
import { summaryLines } from "../transaction/envelope-note.js";
import { riskLine, riskOf } from "../transaction/risks.js";

/**
 * Describes everything that the bytes do, with the arguments of calls, and then who requests a signature of which key by which rule.
 * @param raw the raw data to be signed
 * @param waiting the waiting requests for these bytes, which are approved together
 * @param contactsFile locates the interfaces that the user has saved
 */
export async function approvalLines(
	raw: Uint8Array,
	waiting: readonly AwaitingTransaction[],
	contactsFile: string,
): Promise<readonly string[]> {
	const envelope = readEnvelope(toHex(raw), true);
	const { transaction, permissionId } = envelope;
	const { parameter, idHex } = transaction;
	const call = await describedCall(parameter, { client: undefined, contactsFile });
	const facts = { chain: undefined, permission: undefined, approval: undefined };
	const risk = riskOf({ parameter });
	return [
		...summaryLines(envelope, call ? { ...facts, call } : facts),
		...(permissionId === 0 ? [] : [`  permission  ${permissionId}`]),
		...waiting
			.filter(({ id }) => id === idHex)
			.map(
				({ client, key, rule, sum, fees }) =>
					`  asked       by ${client} for ${key}, rule ${rule}, ${sum || "no sum"}, fees up to ${fees}`,
			),
		...(risk === undefined ? [] : [riskLine(risk)]),
	];
}
