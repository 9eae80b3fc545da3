/** Labels that a shell offers: which kind belongs where, and what they are. */

import { listKeystore } from "../../keystore/keystore.js";
import { listShielded } from "../../keystore/shielded-keystore.js";
import { BUILT_IN, readConfiguration } from "../../wallet/configuration/configuration.js";
import { readContacts } from "../../wallet/configuration/contacts.js";
import { ownInterface } from "../../wallet/configuration/own-interfaces.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

/** Keys of the keystore; these and contacts; keys of shielded addresses; these and accounts; network profiles. */
export const NAME_KINDS = ["keys", "accounts", "shielded", "payees", "profiles"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** Flags whose value is a name. */
export const NAMED_FLAGS: Readonly<Record<string, NameKind>> = {
	"--from": "accounts",
	"--to": "accounts",
	"--account": "accounts",
	"--signer": "keys",
	"--key": "shielded",
	"--shielded": "shielded",
	"--profile": "profiles",
	"--address": "accounts",
	"--as": "accounts",
};

/** Words for values that are no closed list, by how help calls them. */
const USUAL_VALUES: Readonly<Record<string, readonly string[]>> = {
	"<block>": ["earliest", "head", "solid"],
};

/** A flag as the command's manifest has it. */
interface KnownFlag {
	readonly type: string;
	readonly options?: readonly string[] | undefined;
	/** What help shows for the value; `genesis|main` lists all that there is. */
	readonly helpValue?: string | readonly string[] | undefined;
}

/** Words that the flags of a command take, by the flag with its dashes; those are left out whose values aren't known. */
export function valuesOfFlags(
	flags: Readonly<Record<string, KnownFlag>>,
): Readonly<Record<string, readonly string[]>> {
	return Object.fromEntries(
		Object.entries(flags).flatMap(([name, { type, options, helpValue }]) => {
			const shown = String(helpValue ?? "");
			const listed = /^[\w-]+(\|[\w-]+)+$/.test(shown) ? shown.split("|") : USUAL_VALUES[shown];
			const words = type === "option" ? (options ?? listed ?? []).filter(isPlainWord) : [];
			return words.length > 0 ? [[`--${name}`, words] as const] : [];
		}),
	);
}

const ACCOUNTS = new Set(["account", "address", "contract", "issuer", "spender", "to"]);
/** New things: their names aren't there yet; and addresses of other networks' kinds. */
const NOT_THERE = /^(network |keystore (new|import)|contact add|shielded (new|import))/;

/** What the arguments of a command name; undefined if they are not names. @param command words separated by blanks */
export function namedByArguments(command: string, argumentNames: readonly string[]): NameKind | undefined {
	if (NOT_THERE.test(command)) return undefined;
	if (/^profile (use|show|set|remove)$/.test(command)) return "profiles";
	if (command === "shielded send") return "payees";
	if (/^shielded (address|delete|rename|export )/.test(command)) return "shielded";
	if (argumentNames.includes("wallet") || command === "keystore unlock") return "keys";
	if (command === "contact remove" || argumentNames.some((name) => ACCOUNTS.has(name))) return "accounts";
	return undefined;
}

/** The labels of a kind that are one plain word: shells evaluate lists of words, so nothing else is given to them. */
export async function namesOf(kind: NameKind, settings: Settings): Promise<string[]> {
	const names = new Set<string>();
	if (kind === "profiles") {
		const { profiles } = await readConfiguration(settings.configurationFile, "", false);
		for (const name of [...Object.keys(BUILT_IN), ...Object.keys(profiles)]) names.add(name);
	}
	if (kind === "shielded" || kind === "payees")
		for (const { name } of (await listShielded(settings.keystoreDirectory)).entries) names.add(name);
	if (kind === "keys" || kind === "accounts" || kind === "payees")
		for (const { name } of (await listKeystore(settings.keystoreDirectory)).entries) names.add(name);
	if (kind === "accounts" || kind === "payees")
		for (const { label } of await readContacts(settings.contactsFile)) names.add(label);
	return [...names].filter(isPlainWord).sort();
}

/** Functions of a contract whose interface is kept here, as completion offers them: no node is asked. */
export async function functionsOf(contract: string, settings: Settings): Promise<string[]> {
	const items = (await ownInterface(settings, await accountNamed(settings, contract))) ?? [];
	const names = items.flatMap(({ kind, name }) => (kind === "function" ? [name] : []));
	return [...new Set(names)].filter(isPlainWord).sort();
}

/** Whether a name means itself in every shell, and is not a flag. */
export function isPlainWord(name: string): boolean {
	return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name);
}
