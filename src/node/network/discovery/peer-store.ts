/** Stores discovered nodes across restarts (protocol/peers §2.5). */

import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAddress } from "../environment.js";
import { isIpv4Literal, isIpv6Literal } from "../wire/endpoint.js";

/** Storage for the list of nodes. */
export interface PeerStore {
	/** @returns undefined if nothing was stored yet */
	read(): Promise<string | undefined>;
	write(text: string): Promise<void>;
}

const FILE = "peers.json";

/**
 * A separate file in the data directory: the list is not part of the chain's state, so it neither waits for a batch
 * of blocks nor is reverted with one. It is replaced atomically, so a killed process leaves the old list or the new one.
 */
export function peerFile(dataDirectory: string): PeerStore {
	const path = join(dataDirectory, FILE);
	return {
		async read() {
			try {
				return await readFile(path, "utf8");
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
				throw error;
			}
		},
		async write(text) {
			const temporary = `${path}.new`;
			const file = await open(temporary, "w");
			try {
				await file.writeFile(text);
				await file.sync();
			} finally {
				await file.close();
			}
			await rename(temporary, path);
		},
	};
}

export function writePeerList(nodes: readonly NodeAddress[]): string {
	return JSON.stringify({ nodes: nodes.map(({ host, port }) => ({ host, port })) });
}

/** Reads a list; skips entries that are not an address. @throws {Error} if the text is not a list of nodes */
export function readStoredPeers(text: string): readonly NodeAddress[] {
	const nodes = (JSON.parse(text) as { nodes?: unknown } | null)?.nodes;
	if (!Array.isArray(nodes)) throw new Error("the stored list of nodes has no nodes");
	return nodes.filter(isAddress).map(({ host, port }) => ({ host, port }));
}

function isAddress(value: unknown): value is NodeAddress {
	const { host, port } = (value ?? {}) as Partial<Record<keyof NodeAddress, unknown>>;
	return (
		typeof host === "string" &&
		(isIpv4Literal(host) || isIpv6Literal(host)) &&
		typeof port === "number" &&
		Number.isInteger(port) &&
		port > 0 &&
		port < 65_536
	);
}
