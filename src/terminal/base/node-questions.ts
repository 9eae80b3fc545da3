/** What questions to a node have in common: which node, which view, which block. */

import { fromHex } from "../../protocol/bytes.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import {
	type BlockReference,
	fetchBlockById,
	fetchBlockByNumber,
	fetchHead,
} from "../../wallet/node/chain-query.js";
import { NodeClient, type NodeView } from "../../wallet/node/node-client.js";

/** The node of the settings, as it was right after a block where one is named. @throws {Failure} `bad_value`; `not_found` */
export async function stateClient(settings: Settings, block: string | undefined): Promise<NodeClient> {
	const client = new NodeClient(settings);
	return block === undefined || block === "head" || block === "latest"
		? client
		: new NodeClient(settings, await fetchBlockNamed(client, block, "full"));
}

/**
 * A block by what people write: a number, `head`, `solid`, `earliest`, or a 64-digit id; `latest` and `finalized` are Ethereum's words.
 * @throws {Failure} `bad_value`; `not_found`
 */
export async function fetchBlockNamed(
	client: NodeClient,
	text: string,
	view: NodeView,
): Promise<BlockReference> {
	const block = await findBlock(client, text, view);
	if (!block) throw new Failure("not_found", `there is no block ${text}`);
	return block;
}

async function findBlock(
	client: NodeClient,
	text: string,
	view: NodeView,
): Promise<BlockReference | undefined> {
	if (text === "head" || text === "latest") return fetchHead(client, view);
	if (text === "solid" || text === "finalized") return fetchHead(client, "solidity");
	if (text === "earliest") return fetchBlockByNumber(client, 0n, view);
	if (/^\d{1,18}$/.test(text)) return fetchBlockByNumber(client, BigInt(text), view);
	if (/^(0x)?[0-9a-fA-F]{64}$/.test(text))
		return fetchBlockById(client, fromHex(text.replace(/^0x/, "")), view);
	throw new Failure(
		"bad_value",
		`"${text}" is not a block: use a number, head, solid, earliest or a 64-digit id`,
	);
}

/** Reads a transaction id. @throws {Failure} `bad_value` */
export function parseTransactionId(text: string): Uint8Array {
	const digits = text.trim().replace(/^0x/i, "");
	if (!/^[0-9a-fA-F]{64}$/.test(digits))
		throw new Failure("bad_value", `"${text}" is not a transaction id, which has 64 hex digits`);
	return fromHex(digits);
}
