/** Payments to keys of one's own whose signatures the chain doesn't take: what is sent there can't be spent. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { schemesOff } from "../../wallet/node/post-quantum.js";

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
