/** Labels of addresses: from the keystore, and from the address book for other people's accounts. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { readContacts } from "./contacts.js";
import type { Settings } from "./settings.js";

/** Base58 → label. */
export type Labels = ReadonlyMap<string, string>;

/** Labels of keys and contacts; a key's takes precedence. @throws {Failure} for a damaged address book */
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

/** Matches quoted text, which comes from others, or an address. */
const QUOTED_OR_ADDRESS = /"(?:[^"\\]|\\.)*"|(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{34}(?![0-9A-Za-z])/g;

/** Adds to each address in a line its label, if it has one; quoted text is left unchanged. */
export function labelled(line: string, labels: Labels): string {
	if (labels.size === 0) return line;
	return line.replace(QUOTED_OR_ADDRESS, (found) => {
		const label = labels.get(found);
		return label === undefined ? found : `${found} (${label})`;
	});
}
