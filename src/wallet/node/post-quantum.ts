/** Whether a chain takes signatures of the post-quantum schemes: of all networks the test network Nile alone does (protocol/post-quantum §7.1). */

import { type PostQuantumScheme, postQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { Failure } from "../failure.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import { fetchChainParameters } from "./chain-parameters.js";
import type { NodeClient } from "./node-client.js";

/** The chain's parameter that allows a scheme, by its name in answers. */
const PARAMETERS: Readonly<Record<PostQuantumScheme["name"], string>> = {
	FN_DSA_512: "getAllowFnDsa512",
	ML_DSA_44: "getAllowMlDsa44",
};

/** Those of some schemes whose signatures the chain doesn't take. No node is asked about none. */
export async function schemesOff(
	client: NodeClient,
	schemes: readonly PostQuantumScheme[],
): Promise<readonly PostQuantumScheme[]> {
	if (schemes.length === 0) return [];
	const parameters = await fetchChainParameters(client);
	return [...new Set(schemes)].filter(({ name }) => parameters.get(PARAMETERS[name]) !== 1n);
}

/**
 * Asked before anything is signed with keys of some schemes, or sent.
 * @throws {Failure} `not_authorized` where the chain doesn't take their signatures
 */
export async function checkSchemes(client: NodeClient, schemes: readonly PostQuantumScheme[]): Promise<void> {
	const [off] = await schemesOff(client, schemes);
	if (!off) return;
	throw new Failure(
		"not_authorized",
		`this chain takes no signatures of ${off.name}: its parameter ${PARAMETERS[off.name]} is not 1`,
		{
			sent: false,
			hint: "coin chain params shows them; of all networks the test network Nile alone has it",
		},
	);
}

/** Schemes of the signatures that a transaction has. */
export const schemesIn = ({ transaction }: TransactionEnvelope): readonly PostQuantumScheme[] =>
	transaction.postQuantum.flatMap(({ scheme }) => postQuantumScheme(scheme) ?? []);
