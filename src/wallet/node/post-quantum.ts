/** Checks whether a chain accepts post-quantum signatures: at present only the test network Nile does (protocol/post-quantum §7.1). */

import { type PostQuantumScheme, postQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { Failure } from "../failure.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import { fetchChainParameters } from "./chain-parameters.js";
import type { NodeClient } from "./node-client.js";

/** The chain parameter that enables each scheme, by its name in responses. */
const PARAMETERS: Readonly<Record<PostQuantumScheme["name"], string>> = {
	FN_DSA_512: "getAllowFnDsa512",
	ML_DSA_44: "getAllowMlDsa44",
};

/** The schemes among the given ones that the chain doesn't accept. Makes no request if none are given. */
export async function schemesOff(
	client: NodeClient,
	schemes: readonly PostQuantumScheme[],
): Promise<readonly PostQuantumScheme[]> {
	if (schemes.length === 0) return [];
	const parameters = await fetchChainParameters(client);
	return [...new Set(schemes)].filter(({ name }) => parameters.get(PARAMETERS[name]) !== 1n);
}

/**
 * Checks schemes before anything is signed with such keys, or sent.
 * @throws {Failure} `not_authorized` if the chain doesn't accept their signatures
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

/** Schemes of a transaction's post-quantum signatures. */
export const schemesIn = ({ transaction }: TransactionEnvelope): readonly PostQuantumScheme[] =>
	transaction.postQuantum.flatMap(({ scheme }) => postQuantumScheme(scheme) ?? []);
