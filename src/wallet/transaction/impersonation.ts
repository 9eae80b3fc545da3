/** Accounts of a development chain that act without a signature (protocol/development-chain §4.4, `dev_impersonateAccount`). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord } from "../json.js";
import { fetchGenesisId } from "../node/chain-query.js";
import { callJsonRpc, developmentUrl } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";

/**
 * Whether the chain accepts unsigned transactions from an account. Only a development chain's own gateway can
 * say so, and only for the chain that the node serves; any other response means no.
 */
export async function actsUnsigned(client: NodeClient, account: Uint8Array): Promise<boolean> {
	try {
		const info = await callJsonRpc(client, "dev_info", [], developmentUrl(client.settings));
		if (!isRecord(info)) return false;
		const { genesis, unlocked, unlockAll } = info;
		if (genesis !== toHex(await fetchGenesisId(client))) return false;
		return unlockAll === true || (Array.isArray(unlocked) && unlocked.includes(toBase58Check(account)));
	} catch (error) {
		if (error instanceof Failure) return false;
		throw error;
	}
}

/** The line of a summary that marks an unsigned transaction. */
export const UNSIGNED_LINE = "  signature   none: coin dev impersonate lets the account act without";
