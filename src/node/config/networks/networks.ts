/** Built-in configurations of public networks (protocol/configuration §1.12). */

import type { PublicNetwork } from "../../../protocol/public-networks.js";

/** A network's configuration below the user's file. */
export interface NetworkPreset {
	readonly name: PublicNetwork;
	/** HOCON. */
	readonly text: string;
}

const TEXTS: Readonly<Record<PublicNetwork, () => Promise<string>>> = {
	main: async () => (await import("./main.js")).MAIN,
	nile: async () => (await import("./nile.js")).NILE,
};

/** Loaded on demand. */
export async function networkPreset(name: PublicNetwork): Promise<NetworkPreset> {
	return { name, text: await TEXTS[name]() };
}
