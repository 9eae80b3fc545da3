/** ORC-10 tokens as a node describes them (sheet 06 §7.5). */

import { AssetIssueContract } from "../protocol/messages.js";
import { messageFrom } from "./answer.js";
import { Failure } from "./failure.js";
import type { NodeClient } from "./node-client.js";

/** A token by its id. @throws {Failure} `not_found` */
export async function tokenById(client: NodeClient, id: string): Promise<Readonly<AssetIssueContract>> {
	const answer = await client.call("getassetissuebyid", { value: id });
	if (Object.keys(answer).length === 0) throw new Failure("not_found", `there is no token with the id ${id}`);
	return messageFrom(AssetIssueContract, answer);
}

/** Number of decimals that a token publishes. */
export async function tokenDecimals(client: NodeClient, id: string): Promise<number> {
	return (await tokenById(client, id)).precision;
}
