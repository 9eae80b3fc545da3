/** Witness sets for verifying proofs: fetched from your own node, or read from a file (protocol/inclusion-proof §3). */

import { checkpointNamed } from "../../protocol/inclusion/checkpoints.js";
import {
	InclusionError,
	MAX_SET_WITNESSES,
	readWitnessSet,
	type WitnessSet,
} from "../../protocol/inclusion/witness-set.js";
import { witnessSigningAddress } from "../../protocol/permission.js";
import { Failure } from "../failure.js";
import { existingAccount, fetchGenesisId, fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { rankedWitnesses } from "../view/witnesses.js";

/** Fetches the active witnesses of a node's chain, with their current signing keys. @throws {Failure} */
export async function fetchWitnessSet(client: NodeClient): Promise<WitnessSet> {
	const chain = await fetchGenesisId(client);
	const { id } = await fetchHead(client);
	const active = (await rankedWitnesses(client, "full")).filter(({ witness }) => witness.isJobs);
	if (active.length === 0 || active.length > MAX_SET_WITNESSES)
		throw new Failure("rpc_error", `the node names ${active.length} active witnesses`);
	const witnesses = [];
	for (const { witness } of active) {
		const { address } = witness;
		witnesses.push({ address, key: witnessSigningAddress(await existingAccount(client, address)) });
	}
	return { witnesses, block: id, chain };
}

/**
 * The witness set that a user names: a built-in checkpoint, or a file.
 * @param read returns a file's text
 * @throws {Failure} `bad_value`
 */
export async function witnessSetNamed(
	name: string,
	read: (path: string) => Promise<string>,
): Promise<WitnessSet> {
	const known = checkpointNamed(name);
	if (known) return known;
	try {
		return readWitnessSet(await read(name));
	} catch (error) {
		if (error instanceof InclusionError) throw new Failure("bad_value", `${name}: ${error.message}`);
		throw error;
	}
}
