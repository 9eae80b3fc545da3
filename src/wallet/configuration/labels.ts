/** What addresses are called here: by the keystore, and by the address book for the accounts of others. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { readContacts } from "./contacts.js";
import type { Settings } from "./settings.js";

/** Base58 → label. */
export type Labels = ReadonlyMap<string, string>;

/** The labels of keys and contacts; a key's own where both have one. @throws {Failure} for a damaged address book */
export async function readLabels(
	settings: Pick<Settings, "keystoreDirectory" | "contactsFile">,
): Promise<Labels> {
	const [contacts, { entries }] = await Promise.all([
		readContacts(settings.contactsFile),
		listKeystore(settings.keystoreDirectory),
	]);
	const labels = new Map(contacts.map(({ address, label }) => [toBase58Check(address), label] as const));
	for (const { base58, name } of entries) if (name !== base58) labels.set(base58, name);
	return labels;
}

/** A quoted text, which others wrote, or an address. */
const QUOTED_OR_ADDRESS = /"(?:[^"\\]|\\.)*"|(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{34}(?![0-9A-Za-z])/g;

/** A line for people with the label behind each address that has one; what stands in quotes stays as it is. */
export function labelled(line: string, labels: Labels): string {
	if (labels.size === 0) return line;
	return line.replace(QUOTED_OR_ADDRESS, (found) => {
		const label = labels.get(found);
		return label === undefined ? found : `${found} (${label})`;
	});
}
