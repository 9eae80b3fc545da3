/** The prover of commands: proofs are made in this process and its worker threads, from a folder of parameters. */

import { Flags } from "@oclif/core";
import type { Prover } from "../../protocol/sapling/prover.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import type { NodeClient } from "../../wallet/node/node-client.js";

export const proverFlags = {
	params: Flags.string({
		description: "folder with sapling-spend.params and sapling-output.params of the network",
		helpValue: "<dir>",
		helpGroup: "SHIELDED",
		env: "COIN_SHIELDED_PARAMS",
	}),
};

export async function localProver(
	_settings: Settings,
	_client: NodeClient,
	_flags: { readonly params?: string | undefined },
): Promise<Prover> {
	throw new Failure("not_served", "this program can't make the proofs itself", {
		hint: "--prove-on-node lets the node make them: it is told the viewing key and everything about the payment",
	});
}
