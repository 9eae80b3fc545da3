/** Fetches the witnesses from a node without verification, if nothing else is known about a network. */

import type { WitnessSet } from "../../protocol/inclusion/witness-set.js";
import { loadSettings } from "../../wallet/configuration/settings.js";
import { fetchWitnessSet } from "../../wallet/inclusion/witness-keys.js";
import { NodeClient } from "../../wallet/node/node-client.js";

/** @throws {Failure} */
export async function nodeWitnesses(url: string): Promise<WitnessSet> {
	return fetchWitnessSet(new NodeClient(await loadSettings({ node: url }, process.env)));
}
