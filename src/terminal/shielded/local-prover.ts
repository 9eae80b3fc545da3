/** The prover of commands: produces proofs in this process and its worker threads, with parameters from files. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Flags } from "@oclif/core";
import type { Prover } from "../../protocol/sapling/prover.js";
import { NETWORK_OUTPUT_HASH, NETWORK_SPEND_HASH } from "../../protocol/sapling/sizes.js";
import { dataDirectory } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { isDevelopmentChain } from "../../wallet/node/chain-query.js";
import type { NodeClient } from "../../wallet/node/node-client.js";

export const proverFlags = {
	params: Flags.string({
		description:
			"folder with sapling-spend.params and sapling-output.params (default: sapling-params in coin's data directory; on a development chain they are made)",
		helpValue: "<dir>",
		helpGroup: "SHIELDED",
		env: "COIN_SHIELDED_PARAMS",
	}),
	"other-params": Flags.boolean({
		description: "take files that are not the public network's, as for a network of one's own",
		helpGroup: "SHIELDED",
		dependsOn: ["params"],
	}),
};

interface ProverFlags {
	readonly params?: string | undefined;
	readonly "other-params": boolean;
}

/**
 * A prover for the node's chain. It opens no files before the first proof.
 * @throws {Failure} `not_found` if there are no parameters
 */
export async function localProver(client: NodeClient, flags: ProverFlags): Promise<Prover> {
	// Loaded on demand, since most commands never produce a proof.
	const { openProver } = await import("../../proving/open-prover.js");
	if (flags.params === undefined && (await isDevelopmentChain(client))) {
		const { developmentParametersFolder } = await import("../../proving/development-parameters.js");
		return openProver({ parameters: { development: developmentParametersFolder(process.env) } });
	}
	const folder = flags.params ?? join(dataDirectory(process.env), "sapling-params");
	for (const file of ["sapling-spend.params", "sapling-output.params"]) {
		if (existsSync(join(folder, file))) continue;
		throw new Failure(
			"not_found",
			`proofs need the network's parameters, and there is no ${join(folder, file)}`,
			{
				hint: "the network's releases have both files; put them there, or name their folder with --params",
			},
		);
	}
	const isOther = flags["other-params"];
	return openProver({
		parameters: {
			folder,
			spendHash: isOther ? undefined : NETWORK_SPEND_HASH,
			outputHash: isOther ? undefined : NETWORK_OUTPUT_HASH,
		},
	});
}
