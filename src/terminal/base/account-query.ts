/** Questions about one account: the named one, or the active wallet. */

import { Args } from "@oclif/core";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../flags/flags.js";

export const accountArgument = {
	account: Args.string({ description: "address or label (default: the active wallet)", ignoreStdin: true }),
};

export const accountQueryFlags = { ...nodeFlags, ...blockFlag, ...solidityFlag, ...keystoreFlags };
