/**
 * The user's ABIs in `interfaces/<address>.json` beside the contacts, and layouts in `<address>.layout.json`.
 * Calls to sign are decoded by these first, so the files have the permissions of key files.
 */

import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AbiItem, ContractInterface } from "../../abi/parameter.js";
import { createPrivateDirectory, ifMissing, writePrivateFile } from "../../keystore/private-file.js";
import { toBase58Check } from "../../protocol/address.js";
import { entriesOf, readInterface } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { type Json, readJson, writeJson } from "../json.js";
import { readAddress } from "../values/address-text.js";
import type { Settings } from "./settings.js";

const MAX_INTERFACE_BYTES = 4 << 20;
/** The most files, and characters in total, that are read at once. */
const MAX_INTERFACES = 500;
const MAX_TEXT = 32 << 20;

type Kind = "json" | "layout.json";

function fileOf(
	{ contactsFile }: Pick<Settings, "contactsFile">,
	address: Uint8Array,
	kind: Kind = "json",
): string {
	return join(dirname(contactsFile), "interfaces", `${toBase58Check(address)}.${kind}`);
}

/** The saved ABI of a contract; undefined if there is none. @throws {Failure} `bad_value` if damaged */
export async function ownInterface(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
): Promise<ContractInterface | undefined> {
	return read(settings, address, "json", readInterface);
}

/** The saved interface as the compiler wrote it. @throws {Failure} `bad_value` for a damaged file */
export async function ownEntries(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
): Promise<readonly Json[] | undefined> {
	return read(settings, address, "json", (text) => entriesOf(readJson(text)));
}

/** All items of all saved interfaces, for lookups by selector or name alone. Damaged files are skipped. */
export async function ownInterfaces(settings: Pick<Settings, "contactsFile">): Promise<ContractInterface> {
	if (!settings.contactsFile) return [];
	const names = await readdir(join(dirname(settings.contactsFile), "interfaces")).catch(ifMissing([]));
	const found: AbiItem[] = [];
	let rest = MAX_TEXT;
	const addresses = names.map((name) => /^(\w+)\.json$/.exec(name)?.[1]).filter((text) => text !== undefined);
	for (const text of addresses.slice(0, MAX_INTERFACES)) {
		const address = readAddress(text);
		if (!address || rest <= 0) continue;
		const parse = (json: string) => {
			rest -= json.length;
			return readInterface(json);
		};
		try {
			found.push(...((await read(settings, address, "json", parse)) ?? []));
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
		}
	}
	return found;
}

/** The saved storage layout, as the compiler wrote it. @throws {Failure} `bad_value` if damaged */
export async function ownLayout(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
): Promise<Json | undefined> {
	return read(settings, address, "layout.json", readJson);
}

async function read<T>(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
	kind: Kind,
	parse: (text: string) => T,
): Promise<T | undefined> {
	// Programs that pass their node as an option keep no files.
	if (!settings.contactsFile) return undefined;
	const file = fileOf(settings, address, kind);
	const found = await stat(file).catch(ifMissing(undefined));
	if (found && found.size > MAX_INTERFACE_BYTES)
		throw new Failure("bad_value", `${file} is too long for what is kept of a contract`);
	const text = found && (await readFile(file, "utf8").catch(ifMissing(undefined)));
	if (text === undefined) return undefined;
	try {
		return parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) throw new Failure("bad_value", `${file}: ${error.message}`);
		throw error instanceof Failure ? error.saying(`${file}: ${error.message}`) : error;
	}
}

/** Whether an interface or layout can be kept: a longer file would be refused with every call. */
export function canBeKept(json: Json): boolean {
	return Buffer.byteLength(writeJson(json)) < MAX_INTERFACE_BYTES;
}

/** Saves or replaces an ABI that {@link canBeKept}. @param entries as compilers write them @param layout storage layout, if known */
export async function keepInterface(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
	entries: Json,
	layout?: Json,
): Promise<void> {
	if (!canBeKept(entries)) return;
	const file = fileOf(settings, address);
	await createPrivateDirectory(dirname(file));
	await writePrivateFile(file, `${writeJson(entries)}\n`, true);
	if (layout !== undefined && canBeKept(layout))
		await writePrivateFile(fileOf(settings, address, "layout.json"), `${writeJson(layout)}\n`, true);
}
