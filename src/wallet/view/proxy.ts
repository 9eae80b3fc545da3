/** Proxies: contracts that run the code of another one, found by the places where the standards keep its address. */

import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../../abi/proxy.js";
import { addressFromHash, addressPrefix } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { callConstant } from "../node/constant-call.js";
import { callJsonRpc } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";

interface Proxy {
	readonly kind: "eip1967" | "eip1822" | "beacon" | "minimal";
	/** 21 bytes, as all of these. */
	readonly implementation: Uint8Array;
	readonly admin?: Uint8Array;
	readonly beacon?: Uint8Array;
}

/**
 * What a contract runs in place of itself; undefined for one that is none of the known proxies, or at a node that
 * doesn't serve storage.
 * @param code its runtime code, where it is known
 */
export async function proxyOf(
	client: NodeClient,
	address: Uint8Array,
	code?: Uint8Array,
): Promise<Proxy | undefined> {
	const minimal = code && minimalTarget(toHex(code.subarray(0, 64)));
	if (minimal) return { kind: "minimal", implementation: addressFromHash(fromHex(minimal)) };
	try {
		const [implementation, beacon, admin, proxiable] = await Promise.all(
			[PROXY_SLOTS.implementation, PROXY_SLOTS.beacon, PROXY_SLOTS.admin, PROXY_SLOTS.proxiable].map((slot) =>
				addressAt(client, address, slot),
			),
		);
		const more = admin ? { admin } : {};
		if (implementation) return { kind: "eip1967", implementation, ...more };
		if (beacon) {
			const behind = await implementationOfBeacon(client, beacon);
			return behind && { kind: "beacon", implementation: behind, beacon, ...more };
		}
		return proxiable && { kind: "eip1822", implementation: proxiable };
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}

/** The address that stands in a slot; undefined for anything else. */
async function addressAt(
	client: NodeClient,
	contract: Uint8Array,
	slot: string,
): Promise<Uint8Array | undefined> {
	const { stateBlock } = client;
	const tag = stateBlock ? `0x${stateBlock.number.toString(16)}` : "latest";
	const word = await callJsonRpc(client, "eth_getStorageAt", [`0x${toHex(contract.subarray(1))}`, slot, tag]);
	const digits = addressInWord(word);
	return digits === undefined ? undefined : addressFromHash(fromHex(digits));
}

async function implementationOfBeacon(
	client: NodeClient,
	beacon: Uint8Array,
): Promise<Uint8Array | undefined> {
	const owner = new Uint8Array(21);
	owner[0] = addressPrefix();
	const { data } = await callConstant(client, {
		owner,
		contract: beacon,
		data: fromHex(IMPLEMENTATION_SELECTOR),
	});
	const digits = addressInWord(`0x${toHex(data)}`);
	return digits === undefined ? undefined : addressFromHash(fromHex(digits));
}
