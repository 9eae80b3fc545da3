/** Proxies: contracts that run the code of another one, found by the places where the standards keep its address. */

import { addressFromHash, addressPrefix } from "../../protocol/address.js";
import { fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
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

/** EIP-1967: the hash of a name, less one so that no mapping comes there. */
function slot1967(name: string): string {
	const hash = BigInt(`0x${toHex(keccak256(utf8(`eip1967.proxy.${name}`)))}`);
	return `0x${(hash - 1n).toString(16)}`;
}

/** EIP-1822. */
const PROXIABLE = `0x${toHex(keccak256(utf8("PROXIABLE")))}`;

/** EIP-1167: code that hands every call on, around an address. */
const MINIMAL = /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/;

/** `implementation()` of a beacon. */
const IMPLEMENTATION = fromHex("5c60da1b");

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
	const minimal = code && MINIMAL.exec(toHex(code.subarray(0, 64)));
	if (minimal?.[1]) return { kind: "minimal", implementation: addressFromHash(fromHex(minimal[1])) };
	try {
		const [implementation, beacon, admin, proxiable] = await Promise.all(
			[slot1967("implementation"), slot1967("beacon"), slot1967("admin"), PROXIABLE].map((slot) =>
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
	const match = typeof word === "string" ? /^0x0{24}([0-9a-f]{40})$/i.exec(word) : null;
	return match?.[1] && !/^0+$/.test(match[1]) ? addressFromHash(fromHex(match[1])) : undefined;
}

async function implementationOfBeacon(
	client: NodeClient,
	beacon: Uint8Array,
): Promise<Uint8Array | undefined> {
	const owner = new Uint8Array(21);
	owner[0] = addressPrefix();
	const { data } = await callConstant(client, { owner, contract: beacon, data: IMPLEMENTATION });
	const isAddress = data.length === 32 && data.subarray(0, 12).every((byte) => byte === 0);
	return isAddress ? addressFromHash(data.subarray(12)) : undefined;
}
