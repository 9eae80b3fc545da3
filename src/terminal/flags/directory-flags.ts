/** Flags of commands on a data directory that no node has open. */

import { Flags } from "@oclif/core";
import { PUBLIC_NETWORK_NAMES } from "../../protocol/public-networks.js";

/** Which chain it is, beside the configuration file. */
export const chainFlags = {
	network: Flags.option({
		options: PUBLIC_NETWORK_NAMES,
		description: "public network, by its name; a configuration file counts before what it says, key by key",
	})(),
	"shielded-params": Flags.string({
		description: "folder of the parameters that shielded proofs are checked with; none: they aren't checked",
		helpValue: "<dir>|none",
	}),
};

export const directoryFlags = {
	...chainFlags,
	config: Flags.string({
		char: "c",
		description: "configuration of the chain; a development chain needs none",
		helpValue: "<file>",
		default: "config.conf",
	}),
	"output-directory": Flags.string({
		char: "d",
		description: "data directory",
		helpValue: "<dir>",
		default: "output-directory",
	}),
};
