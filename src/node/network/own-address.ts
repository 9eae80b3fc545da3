/** The address under which this node announces itself (sheet 09 §2.2). */

import { networkInterfaces } from "node:os";
import { isIpv4Literal, isIpv6Literal } from "./wire/endpoint.js";

export interface OwnAddress {
	/** Literal, or empty. */
	readonly ipv4: string;
	readonly ipv6: string;
}

const LOOPBACK = "127.0.0.1";
const ANY = new Set(["0.0.0.0", "::"]);

/**
 * What the configuration names, else the address that is bound, else that of the first interface of this machine.
 * Others see where our packets come from; nobody outside is asked for it.
 * @param bound address that listeners bind; undefined: every interface
 */
export function ownAddress(external: string, bound: string | undefined, wantsIpv6: boolean): OwnAddress {
	const named = [external, bound !== undefined && !ANY.has(bound) ? bound : ""];
	const found = Object.values(networkInterfaces())
		.flatMap((each) => each ?? [])
		.filter(({ internal, address }) => !internal && !address.startsWith("fe80"));
	const lan = found.find(({ family }) => family === "IPv4")?.address ?? LOOPBACK;
	return {
		ipv4: named.find(isIpv4Literal) ?? lan,
		ipv6: wantsIpv6
			? (named.find(isIpv6Literal) ?? found.find(({ family }) => family === "IPv6")?.address ?? "")
			: "",
	};
}
