/** Proxies: contracts that run the code of another one, whose interface is theirs too. */

import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../abi/proxy.js";
import { addressText, hexAddress } from "./address-text.js";
import { type NodeClient, NodeError } from "./node-client.js";

/**
 * The contract whose code a contract runs in place of its own, in Base58Check.
 * @param contract in Base58Check
 * @returns undefined for what is no known proxy, and where the node doesn't answer JSON-RPC here
 */
export async function implementationOf(client: NodeClient, contract: string): Promise<string | undefined> {
	const digits = hexAddress(contract)?.slice(2);
	if (digits === undefined) return undefined;
	const at = async (slot: string) =>
		addressInWord(await client.rpc("eth_getStorageAt", [`0x${digits}`, slot, "latest"]));
	try {
		const code = await client.rpc("eth_getCode", [`0x${digits}`, "latest"]);
		const found =
			minimalTarget(String(code).replace(/^0x/, "")) ??
			(await at(PROXY_SLOTS.implementation)) ??
			(await behindBeacon(client, await at(PROXY_SLOTS.beacon))) ??
			(await at(PROXY_SLOTS.proxiable));
		return found === undefined ? undefined : addressText(found);
	} catch (error) {
		if (error instanceof NodeError) return undefined;
		throw error;
	}
}

async function behindBeacon(client: NodeClient, beacon: string | undefined): Promise<string | undefined> {
	if (beacon === undefined) return undefined;
	const call = { to: `0x${beacon}`, data: `0x${IMPLEMENTATION_SELECTOR}` };
	return addressInWord(await client.rpc("eth_call", [call, "latest"]));
}
