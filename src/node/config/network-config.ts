/** A configuration's network, and presets of public networks (protocol/configuration §1.12). */

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

/** Parent hash in the public networks' genesis blocks: others need no hashing at each start. */
const PUBLIC_PARENT = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";

/** The user's file merged over the preset; lines of preset values are 0. */
export function withPreset({ name, text }: NetworkPreset, own: HoconObject): HoconObject {
	return layered(parseHocon(text, `network ${name}`, toNeutral), own);
}

/** The public network with this genesis block. */
export function networkOfGenesis(genesis: GenesisConfig): PublicNetwork | undefined {
	if (toHex(genesis.parentHash) !== PUBLIC_PARENT) return undefined;
	return publicNetworkOf(genesisId(genesis));
}

/** @throws {ConfigError} if the file's chain isn't the named network's */
export function refuseOtherNetwork({ name }: NetworkPreset, file: string, genesis: GenesisConfig): void {
	if (networkOfGenesis(genesis) === name) return;
	throw new ConfigError(
		`--network ${name} names ${PUBLIC_NETWORKS[name].title}, and genesis.block of ${file} makes ${chainTitle(genesisId(genesis))}: leave out --network, or genesis.block`,
		{},
		"genesis.block",
	);
}

/** The network whose rules apply: `node.network`, else that of the genesis block, else main. */
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
