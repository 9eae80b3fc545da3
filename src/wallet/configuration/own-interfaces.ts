/**
 * Interfaces of contracts that the user has kept, in `interfaces/<address>.json` beside the contacts: what is shown of a call
 * before it is signed comes from here first, so the files are written like key files.
 */

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ContractInterface } from "../../abi/parameter.js";
import { createPrivateDirectory, errorCode, writePrivateFile } from "../../keystore/private-file.js";
import { toBase58Check } from "../../protocol/address.js";
import { readInterface } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { type Json, writeJson } from "../json.js";
import type { Settings } from "./settings.js";

const MAX_INTERFACE_BYTES = 4 << 20;

function fileOf({ contactsFile }: Pick<Settings, "contactsFile">, address: Uint8Array): string {
	return join(dirname(contactsFile), "interfaces", `${toBase58Check(address)}.json`);
}

/** The kept interface of a contract; undefined if there is none. @throws {Failure} `bad_value` for a damaged file */
export async function ownInterface(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
): Promise<ContractInterface | undefined> {
	// Programs that name their node have no files.
	if (!settings.contactsFile) return undefined;
	const file = fileOf(settings, address);
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
	if (text.length > MAX_INTERFACE_BYTES)
		throw new Failure("bad_value", `${file} is too long for an interface`);
	try {
		return readInterface(text);
	} catch (error) {
		throw error instanceof Failure ? error.saying(`${file}: ${error.message}`) : error;
	}
}

/** Keeps an interface, in place of an earlier one. @param entries as compilers write them */
export async function keepInterface(
	settings: Pick<Settings, "contactsFile">,
	address: Uint8Array,
	entries: Json,
): Promise<void> {
	const file = fileOf(settings, address);
	await createPrivateDirectory(dirname(file));
	await writePrivateFile(file, `${writeJson(entries)}\n`, true);
}
