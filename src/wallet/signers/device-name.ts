/** Names of devices on the command line: `ledger`, `ledger:<index>`, `ledger:<derivation path>`. */

import { Failure } from "../failure.js";

/** The word by which the device is named. */
export const LEDGER = "ledger";

const MAX_INDEX = 0x7fffffff;
/** The vendor's wallet counts accounts in the third place: account 1 is `44'/195'/1'/0/0`. */
const pathOfIndex = (index: number): string => `44'/195'/${index}'/0/0`;

/** Whether a text names a device rather than a key or an address. */
export function namesDevice(text: string): boolean {
	return text === LEDGER || text.startsWith(`${LEDGER}:`);
}

/**
 * The derivation path of the key that a name means, without `m/`.
 * @throws {Failure} `bad_value`
 */
export function devicePath(name: string): string {
	const text = name === LEDGER ? "0" : name.slice(LEDGER.length + 1).trim();
	if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_INDEX) return pathOfIndex(Number(text));
	const path = text.replace(/^m\//, "").replaceAll("h", "'");
	const parts = path.split("/");
	const isPath =
		parts.length > 1 &&
		parts.length <= 10 &&
		parts.every((part) => /^\d{1,10}'?$/.test(part) && Number(part.replace("'", "")) <= MAX_INDEX);
	if (isPath) return path;
	throw new Failure("bad_value", `"${name}" names no key of a device`, {
		hint: "write ledger, ledger:<index>, or a path such as ledger:44'/195'/0'/0/0",
	});
}
