/** The address under which this node announces itself (protocol/peers §2.2). */

import { isIpv4Literal, isIpv6Literal } from "./wire/endpoint.js";

export interface OwnAddress {
	/** Literal, or empty. */
	readonly ipv4: string;
	readonly ipv6: string;
}

const LOOPBACK = "127.0.0.1";
const ANY: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * What the configuration names, else the address that is bound, else that of an interface of this machine. Others see
 * where our packets come from; no outside service is asked for it.
 * @param external `node.discovery.external.ip`, or empty
 * @param bound address that listeners bind; undefined: every interface
 * @param lan addresses of this machine's interfaces, either may be empty
 */
export function ownAddress(
	external: string,
	bound: string | undefined,
	lan: OwnAddress,
	wantsIpv6: boolean,
): OwnAddress {
	const named = [external, bound !== undefined && !ANY.has(bound) ? bound : ""];
	return {
		ipv4: named.find(isIpv4Literal) ?? (lan.ipv4 || LOOPBACK),
		ipv6: wantsIpv6 ? (named.find(isIpv6Literal) ?? lan.ipv6) : "",
	};
}
