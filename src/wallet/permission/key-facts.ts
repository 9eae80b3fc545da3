/** Collects what this machine and a node know about the keys of new permissions, and the remarks that follow for the signer. */

import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { type AccountPermissionUpdateContract, AccountType } from "../../protocol/messages.js";
import { readContacts } from "../configuration/contacts.js";
import type { Settings } from "../configuration/settings.js";
import { fetchAccount } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { schemesOff } from "../node/post-quantum.js";
import { accountOrFresh } from "./authority.js";
import {
	differenceLines,
	type KeyFacts,
	type PermissionRemark,
	permissionRemarks,
	permissionsOf,
} from "./permission-check.js";
import { numbered, type PermissionSet, storedPermissions } from "./permission-set.js";

type Where = Pick<Settings, "keystoreDirectory" | "contactsFile">;

/**
 * @param client undefined when offline: then no key is known to be a contract's
 * @param owner the account, 21 bytes
 */
export async function keyFacts(
	{ keystoreDirectory, contactsFile }: Where,
	client: NodeClient | undefined,
	owner: Uint8Array,
	after: PermissionSet,
): Promise<Omit<KeyFacts, "isStated">> {
	const [{ entries }, contacts] = await Promise.all([
		listKeystore(keystoreDirectory),
		readContacts(contactsFile),
	]);
	const known = new Set([...entries, ...contacts].map(({ address }) => toHex(address)));
	const schemes = entries.flatMap(({ scheme }) => scheme ?? []);
	const off = client ? await schemesOff(client, schemes) : [];
	// The chain would not accept their signatures.
	const mute = entries.filter(({ scheme }) => scheme && off.includes(scheme));
	const unsignable = new Set(mute.map(({ address }) => toHex(address)));
	const addresses = new Map(
		permissionsOf(after).flatMap(({ keys }) => keys.map(({ address }) => [toHex(address), address])),
	);
	for (const address of addresses.values()) {
		const isZero = address.subarray(1).every((byte) => byte === 0);
		if (isZero || (client && (await fetchAccount(client, address))?.type === AccountType.Contract))
			unsignable.add(toHex(address));
	}
	return {
		isLocal: (address) =>
			entries.some((entry) => entry.kind !== "watch" && equalBytes(entry.address, address)),
		isUnsignable: (address) => unsignable.has(toHex(address)),
		isKnown: (address) => known.has(toHex(address)),
		isOwn: (address) => equalBytes(address, owner),
	};
}

/** A permission update made elsewhere, as shown to someone who is to sign it. */
interface ReviewedUpdate {
	/** The changes, one per line; empty when offline, since the stored permissions aren't known. */
	readonly lines: readonly string[];
	readonly remarks: readonly PermissionRemark[];
}

/** Reviews an update; undefined for one without an owner permission, which every node refuses. */
export async function reviewedUpdate(
	where: Where,
	client: NodeClient | undefined,
	{ owner_address: account, owner, witness, actives }: Readonly<AccountPermissionUpdateContract>,
): Promise<ReviewedUpdate | undefined> {
	if (!owner) return undefined;
	const after = numbered({ owner, witness, actives });
	const before = client
		? storedPermissions(accountOrFresh(await fetchAccount(client, account), account))
		: after;
	// Everything in the update itself is shown to the signer, so none of it rests on a node's word.
	const facts = {
		...(await keyFacts(where, client, account, after)),
		isKnown: () => true,
		isStated: () => true,
	};
	return {
		lines: client ? differenceLines(before, after) : [],
		remarks: permissionRemarks(before, after, facts),
	};
}
