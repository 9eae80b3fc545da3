/** The configurations of public networks that the program brings along (protocol/configuration §1.12). */

import type { PublicNetwork } from "../../../protocol/public-networks.js";

/** What a network says where the user's file is silent. */
export interface NetworkPreset {
	readonly name: PublicNetwork;
	/** HOCON. */
	readonly text: string;
}

const TEXTS: Readonly<Record<PublicNetwork, () => Promise<string>>> = {
	main: async () => (await import("./main.js")).MAIN,
	nile: async () => (await import("./nile.js")).NILE,
};

/** Loaded where a network is named, and only then. */
export async function networkPreset(name: PublicNetwork): Promise<NetworkPreset> {
	return { name, text: await TEXTS[name]() };
}
