/** Standard storage slots of proxy targets. Doesn't depend on Node.js: the explorer's page uses it. */

import { keccak_256 } from "@noble/hashes/sha3.js";

function slotOf(name: string, less = 0n): string {
	const hash = keccak_256(new TextEncoder().encode(name));
	const value = hash.reduce((whole, byte) => (whole << 8n) | BigInt(byte), 0n) - less;
	return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Slots of an address, `0x` and 64 digits. EIP-1967 subtracts 1, so that no mapping can collide. */
export const PROXY_SLOTS = {
	implementation: slotOf("eip1967.proxy.implementation", 1n),
	beacon: slotOf("eip1967.proxy.beacon", 1n),
	admin: slotOf("eip1967.proxy.admin", 1n),
	/** EIP-1822. */
	proxiable: slotOf("PROXIABLE"),
} as const;

/** EIP-1167: minimal proxy code that delegates every call to an address. */
const MINIMAL = /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/;

/** Selector of a beacon's `implementation()`, hex. */
export const IMPLEMENTATION_SELECTOR = "5c60da1b";

/** Target address of a minimal proxy, 40 digits. @param code runtime code, hex */
export function minimalTarget(code: string): string | undefined {
	return MINIMAL.exec(code)?.[1];
}

/** The address in a storage word or call result, 40 digits; undefined for zero or anything else. */
export function addressInWord(word: unknown): string | undefined {
	const match = typeof word === "string" ? /^0x0{24}([0-9a-f]{40})$/i.exec(word) : null;
	return match?.[1] && !/^0+$/.test(match[1]) ? match[1] : undefined;
}
