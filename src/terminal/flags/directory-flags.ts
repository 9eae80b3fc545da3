/** Flags of commands on a data directory that no node has open. */

import { Flags } from "@oclif/core";

export const directoryFlags = {
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
