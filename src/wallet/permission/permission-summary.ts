/** The permissions that an update sets, in words: whoever signs must see who will own the account. */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import type { AccountPermissionUpdateContract, Permission } from "../../protocol/messages.js";
import { ALL_OPERATIONS, DEFAULT_OPERATIONS, operationNames } from "./operations.js";

/** `new permissions for <owner>: owner (threshold 2: <address> weight 1, …); active "x" (threshold 1: …; may …)`. */
export function permissionUpdateSummary(
	{ owner, witness, actives }: Readonly<AccountPermissionUpdateContract>,
	account: string,
): string {
	const parts = [
		owner ? permissionText("owner", owner) : "no owner permission",
		...(witness ? [permissionText("witness", witness)] : []),
		...actives.map((active) => permissionText("active", active)),
	];
	return `new permissions for ${account}: ${parts.join("; ")}`;
}

function permissionText(kind: string, permission: Readonly<Permission>): string {
	const { permission_name: name, threshold, keys, operations } = permission;
	const holders = keys.map(({ address, weight }) => `${toBase58Check(address)} weight ${weight}`);
	const title = name === "" || name === kind ? kind : `${kind} ${JSON.stringify(name)}`;
	const may = kind === "active" ? `; may ${operationsText(operations)}` : "";
	return `${title} (threshold ${threshold}: ${holders.join(", ") || "no keys"}${may})`;
}

function operationsText(operations: Uint8Array): string {
	if (equalBytes(operations, ALL_OPERATIONS)) return "do everything";
	if (equalBytes(operations, DEFAULT_OPERATIONS)) return "do everything but change permissions";
	return operationNames(operations).join(", ") || "do nothing";
}
