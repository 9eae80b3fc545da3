/** Parses addresses of peers. */

import { DEFAULT_PEER_PORT } from "../../node/network/peer-dialogue.js";
import { Failure } from "../../wallet/failure.js";

/** Reads `host:port` or `[ipv6]:port`, where the port is optional. @throws {Failure} `bad_value` */
export function readPeerAddress(text: string): { host: string; port: number } {
	const [, v6, name, digits] =
		/^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
	const host = v6 ?? name;
	const port = digits === undefined ? DEFAULT_PEER_PORT : Number(digits);
	if (host === undefined || port < 1 || port > 65_535) {
		throw new Failure("bad_value", `"${text}" is not an address: write host:port or [ipv6]:port`);
	}
	return { host, port };
}
