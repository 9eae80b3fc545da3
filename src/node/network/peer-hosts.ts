/** Resolves the hosts named in the configuration (protocol/configuration §1.4). */

import { isIP } from "node:net";
import type { PeerAddress, PeerConfig } from "../config/config.js";
import type { NetworkEnvironment } from "./environment.js";
import { canonicalHost } from "./wire/endpoint.js";

/** A name not resolved by then counts as unknown: the network doesn't wait for it. */
const LOOKUP_MS = 5_000;

type Lookup = Pick<NetworkEnvironment, "resolveHost" | "after">;

/** The address of a host: itself, or its resolved name. @throws {Error} if that is not known in time */
export async function addressOfHost(environment: Lookup, host: string): Promise<string> {
	if (isIP(host) !== 0) return canonicalHost(host);
	return new Promise((resolve, reject) => {
		const timer = environment.after(LOOKUP_MS, () => reject(new Error(`no answer about ${host}`)));
		environment
			.resolveHost(host)
			.then(resolve, reject)
			.finally(() => timer.cancel());
	});
}

type PeerLists = Pick<PeerConfig, "seeds" | "active" | "passive" | "fastForward">;

/**
 * The configured peers with resolved addresses. Unresolvable ones are left out.
 * @param onUnknown called with each of them
 */
export async function resolvePeers<P extends PeerLists>(
	environment: Lookup,
	peers: P,
	onUnknown: (host: string, error: unknown) => void,
): Promise<P> {
	const known = async (list: readonly PeerAddress[]): Promise<readonly PeerAddress[]> => {
		const found = await Promise.all(
			list.map(async ({ host, port }) => {
				try {
					return [{ host: await addressOfHost(environment, host), port }];
				} catch (error) {
					onUnknown(host, error);
					return [];
				}
			}),
		);
		return found.flat();
	};
	const [seeds, active, passive, fastForward] = await Promise.all(
		[peers.seeds, peers.active, peers.passive, peers.fastForward].map(known),
	);
	return { ...peers, seeds, active, passive, fastForward };
}
