/** What a network is about to do, or does, by rules that this program doesn't know (protocol/consensus §6). */

import { isRecord, member } from "../../wallet/json.js";
import { fetchChainParameters } from "../../wallet/node/chain-parameters.js";
import type { BlockReference } from "../../wallet/node/chain-query.js";
import type { NodeClient } from "../../wallet/node/node-client.js";

/** A round of the network's producers: each makes one of so many blocks. */
const ROUND = 27n;

/**
 * Looks at the last round of blocks and at the parameters that a node reports.
 * @returns warnings, each a message; empty where this program knows everything
 */
export async function unknownRules(client: NodeClient, head: BlockReference): Promise<readonly string[]> {
	const [versions, parameters] = await Promise.all([voteWarning(client, head), parameterWarning(client)]);
	return [...versions, ...parameters];
}

async function voteWarning(client: NodeClient, head: BlockReference): Promise<readonly string[]> {
	const { newestVersion } = await import("../../node/rules/fork-gates.js");
	const newest = newestVersion({});
	const numbers: bigint[] = [];
	for (let number = head.number; number > 0n && head.number - number < ROUND; number--) numbers.push(number);
	const versions = await Promise.all(numbers.map((number) => versionOf(client, number)));
	const unknown = versions.filter((version) => version > newest);
	if (unknown.length === 0) return [];
	return [
		`${unknown.length} of the last ${versions.length} blocks vote for version ${Math.max(...unknown)}, which this program doesn't know (its newest: ${newest}): update it before the vote passes`,
	];
}

async function versionOf(client: NodeClient, number: bigint): Promise<number> {
	const answer = await client.call("getblock", { id_or_num: String(number), detail: false });
	const header = member(answer, "block_header");
	const raw = isRecord(header) ? header["raw_data"] : undefined;
	return isRecord(raw) ? Number(raw["version"] ?? 0) : 0;
}

async function parameterWarning(client: NodeClient): Promise<readonly string[]> {
	const { chainParameterNamed } = await import("../../node/consensus/parameters.js");
	const active = [...(await fetchChainParameters(client))].filter(
		([name, value]) => value !== 0n && chainParameterNamed(name) === undefined,
	);
	return active.map(
		([name, value]) =>
			`the chain's parameter ${name} is ${value}, and this program doesn't know it: its own node can't follow that chain`,
	);
}
