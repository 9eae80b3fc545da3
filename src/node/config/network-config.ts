/** Which network a configuration is of, and a public network's own one under the user's file (protocol/configuration §1.12). */

import { ConfigError, type HoconObject, layered, parseHocon } from "../../hocon/hocon.js";
import { toHex } from "../../protocol/bytes.js";
import { toNeutral } from "../../protocol/dialect.js";
import {
	chainTitle,
	PUBLIC_NETWORKS,
	type PublicNetwork,
	publicNetworkOf,
} from "../../protocol/public-networks.js";
import { NETWORKS, type NetworkName } from "../rules/chain-rules.js";
import { type GenesisConfig, genesisId } from "./genesis-config.js";
import type { NetworkPreset } from "./networks/networks.js";
import type { Settings } from "./settings.js";

/** What the first blocks of the public networks name as the one before: who has another is spared the hashing at each start. */
const PUBLIC_PARENT = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";

/** The user's file over the network's own configuration, key by key; lines of the latter are 0. */
export function withPreset({ name, text }: NetworkPreset, own: HoconObject): HoconObject {
	return layered(parseHocon(text, `network ${name}`, toNeutral), own);
}

/** The public network whose first block this is. */
export function networkOfGenesis(genesis: GenesisConfig): PublicNetwork | undefined {
	if (toHex(genesis.parentHash) !== PUBLIC_PARENT) return undefined;
	return publicNetworkOf(genesisId(genesis));
}

/** @throws {ConfigError} where the file makes another chain of the network that was named */
export function refuseOtherNetwork({ name }: NetworkPreset, file: string, genesis: GenesisConfig): void {
	if (networkOfGenesis(genesis) === name) return;
	throw new ConfigError(
		`--network ${name} names ${PUBLIC_NETWORKS[name].title}, and genesis.block of ${file} makes ${chainTitle(genesisId(genesis))}: leave out --network, or genesis.block`,
		{},
		"genesis.block",
	);
}

/** Whose rules hold: those that the file names, else those of the public network that the first block is of. */
export function readNetwork(
	settings: Settings,
	known: PublicNetwork | undefined,
	warn: (text: string) => void,
): NetworkName {
	const name = settings.get("node.network");
	if (name === undefined) return settings.settle("node.network", known ?? "main");
	const network = NETWORKS.find((one) => one === name);
	if (network === undefined) {
		throw settings.refuse("node.network", `must be ${NETWORKS.join(" or ")}, not "${name}"`);
	}
	if (known !== undefined && known !== network) {
		warn(
			`node.network = ${network}, but the first block is that of ${PUBLIC_NETWORKS[known].title}: this node will leave its chain`,
		);
	}
	return network;
}
