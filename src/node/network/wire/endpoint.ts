/** A node's address and identity as sent in datagrams, transport hellos and application hellos (protocol/peers §2.1). */

import { isIPv6, SocketAddress } from "node:net";
import { EMPTY, fromUtf8, utf8 } from "../../../protocol/bytes.js";
import { Endpoint as EndpointMessage } from "../../../protocol/messages.js";

export const NODE_ID_LENGTH = 64;

/** A valid endpoint. Both addresses are IP literals, and at least one isn't empty. */
export interface PeerEndpoint {
	readonly ipv4: string;
	readonly ipv6: string;
	/** As announced, unchecked. */
	readonly port: number;
	/** 64 bytes. */
	readonly nodeId: Uint8Array;
}

/** No leading zeros; the first number is not 0. */
const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const IPV4 = new RegExp(`^(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]?)(?:\\.${OCTET}){3}$`);

/** Whether a text is an IPv4 literal as the network accepts it. */
export function isIpv4Literal(text: string): boolean {
	return IPV4.test(text);
}

/** Whether a text is an IPv6 literal; a zone is not allowed. */
export function isIpv6Literal(text: string): boolean {
	return isIPv6(text) && !text.includes("%");
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The canonical spelling of an IP literal, as used by the system's sockets: IPv6 has many spellings (the
 * reference writes all groups), and hosts are compared as text. IPv4-mapped IPv6 addresses become IPv4.
 */
export function canonicalHost(literal: string): string {
	if (!isIpv6Literal(literal)) return literal;
	const { address } = new SocketAddress({ address: literal, family: "ipv6" });
	return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

type Hosts = Pick<PeerEndpoint, "ipv4" | "ipv6">;

/** The node's address in a family that we also have, IPv4 first; empty if none is shared (protocol/peers §2.2). */
export function sharedHost(own: Hosts, node: Hosts): string {
	if (own.ipv4 !== "" && node.ipv4 !== "") return node.ipv4;
	return own.ipv6 === "" ? "" : canonicalHost(node.ipv6);
}

/** @returns undefined for an invalid endpoint */
export function parseEndpoint(message: Readonly<EndpointMessage> | undefined): PeerEndpoint | undefined {
	if (message === undefined || message.nodeId.length !== NODE_ID_LENGTH) return undefined;
	if (message.address.length === 0 && message.addressIpv6.length === 0) return undefined;
	const ipv4 = fromUtf8(message.address);
	const ipv6 = fromUtf8(message.addressIpv6);
	if (ipv4 !== "" && !isIpv4Literal(ipv4)) return undefined;
	if (ipv6 !== "" && !isIpv6Literal(ipv6)) return undefined;
	return { ipv4, ipv6, port: message.port, nodeId: message.nodeId };
}

export function endpointMessage(endpoint: PeerEndpoint): EndpointMessage {
	return EndpointMessage.create({
		address: endpoint.ipv4 === "" ? EMPTY : utf8(endpoint.ipv4),
		port: endpoint.port,
		nodeId: endpoint.nodeId,
		addressIpv6: endpoint.ipv6 === "" ? EMPTY : utf8(endpoint.ipv6),
	});
}
