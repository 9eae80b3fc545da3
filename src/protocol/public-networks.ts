/** The public networks, identified by genesis block (protocol/blocks §2.2). */

import { fromHex, toHex } from "./bytes.js";

export const PUBLIC_NETWORKS = {
	main: {
		title: "the main network",
		genesisId: "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc",
	},
	nile: {
		title: "the test network Nile",
		genesisId: "0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc",
	},
} as const;

export type PublicNetwork = keyof typeof PUBLIC_NETWORKS;

export const PUBLIC_NETWORK_NAMES = Object.keys(PUBLIC_NETWORKS) as readonly PublicNetwork[];

/** The public network with this genesis block, if any. @param genesisId 32 bytes */
export function publicNetworkOf(genesisId: Uint8Array): PublicNetwork | undefined {
	const id = toHex(genesisId);
	return PUBLIC_NETWORK_NAMES.find((name) => PUBLIC_NETWORKS[name].genesisId === id);
}

/** A chain's name in messages: a public network's title, or its genesis block. @param genesisId 32 bytes */
export function chainTitle(genesisId: Uint8Array): string {
	const name = publicNetworkOf(genesisId);
	return name ? PUBLIC_NETWORKS[name].title : `the chain whose genesis block is ${toHex(genesisId)}`;
}

/** A genesis block's name in messages: its id and network. @param genesisId 32 bytes */
export function genesisTitle(genesisId: Uint8Array): string {
	const name = publicNetworkOf(genesisId);
	return name ? `${toHex(genesisId)} (${PUBLIC_NETWORKS[name].title})` : toHex(genesisId);
}

// Properties that identify development chains (protocol/development-chain §1).

/** ORC-10 token of the chain's own shielded pool: the first one issued. */
export const DEVELOPMENT_POOL_TOKEN = "1000001";

/**
 * Parent of every development chain's genesis block: that of the stock runtime, which clients' test suites
 * compare. No public network has it.
 */
export const DEVELOPMENT_PARENT_HASH = fromHex(
	"957dc2d350daecc7bb6a38f3938ebde0a0c1cedafe15f0edae4256a2907449f6",
);
