/** The argument that names an entry of the keystore, and how an entry is printed. */

import { Args } from "@oclif/core";
import type { KeystoreEntry } from "../../keystore/keystore.js";

export const walletArgument = {
	wallet: Args.string({ description: "label or address", required: true, ignoreStdin: true }),
};

/** An entry as commands print it, the file at the end. */
export function entryRecord({ name, base58, kind, scheme, path, file }: KeystoreEntry): object {
	return { name, address: base58, kind, scheme: scheme?.name, path, file };
}
