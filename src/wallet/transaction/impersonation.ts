/** What a development chain says of itself, such as the accounts that act without a signature (protocol/development-chain §4.4). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type JsonRecord } from "../json.js";
import { fetchGenesisId } from "../node/chain-query.js";
import { callJsonRpc, developmentUrl } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";

/**
 * The answer to `dev_info`, which only a development chain's own gateway gives.
 * @throws {Failure} `wrong_network` if the gateway serves another chain than the node
 */
export async function fetchDevelopmentInfo(client: NodeClient): Promise<JsonRecord> {
	const url = developmentUrl(client.settings);
	const info = await callJsonRpc(client, "dev_info", [], url);
	if (isRecord(info) && info["genesis"] === toHex(await fetchGenesisId(client))) return info;
	throw new Failure("wrong_network", `the gateway ${new URL(url).host} serves another chain than the node`);
}

/**
 * Whether the chain accepts unsigned transactions from an account. Only a development chain's own gateway can
 * say so, and only for the chain that the node serves; any other response means no.
 */
export async function actsUnsigned(client: NodeClient, account: Uint8Array): Promise<boolean> {
	try {
		const { unlocked, unlockAll } = await fetchDevelopmentInfo(client);
		return unlockAll === true || (Array.isArray(unlocked) && unlocked.includes(toBase58Check(account)));
	} catch (error) {
		if (error instanceof Failure) return false;
		throw error;
	}
}

/** The line of a summary that marks an unsigned transaction. */
export const UNSIGNED_LINE = "  signature   none: coin dev impersonate lets the account act without";
