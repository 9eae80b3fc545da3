/** Where proxies keep the address of the contract whose code they run, by the standards. Needs no Node.js: the explorer's page has it too. */

import { keccak_256 } from "@noble/hashes/sha3.js";

function slotOf(name: string, less = 0n): string {
	const hash = keccak_256(new TextEncoder().encode(name));
	const value = hash.reduce((whole, byte) => (whole << 8n) | BigInt(byte), 0n) - less;
	return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Slots with an address, `0x` and 64 digits. EIP-1967: the hash of a name, less one so that no mapping comes there. */
export const PROXY_SLOTS = {
	implementation: slotOf("eip1967.proxy.implementation", 1n),
	beacon: slotOf("eip1967.proxy.beacon", 1n),
	admin: slotOf("eip1967.proxy.admin", 1n),
	/** EIP-1822. */
	proxiable: slotOf("PROXIABLE"),
} as const;

/** EIP-1167: code that hands every call on, around an address. */
const MINIMAL = /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/;

/** `implementation()` of a beacon, hexadecimal. */
export const IMPLEMENTATION_SELECTOR = "5c60da1b";

/** The address in the code of a minimal proxy, 40 digits. @param code runtime code, hexadecimal */
export function minimalTarget(code: string): string | undefined {
	return MINIMAL.exec(code)?.[1];
}

/** The address that a word of storage or of an answer is, 40 digits; undefined for nothing and for anything else. */
export function addressInWord(word: unknown): string | undefined {
	const match = typeof word === "string" ? /^0x0{24}([0-9a-f]{40})$/i.exec(word) : null;
	return match?.[1] && !/^0+$/.test(match[1]) ? match[1] : undefined;
}
