/** What a node says that its operator must know: a page of this program's nodes, which others don't have. */

import { fromUtf8 } from "../../protocol/bytes.js";
import { isRecord } from "../../wallet/json.js";
import type { NodeClient } from "../../wallet/node/node-client.js";

/** @returns empty for nodes that have no such page */
export async function nodeWarnings(client: NodeClient): Promise<readonly string[]> {
	const { status, body } = await client.send({ method: "GET", url: `${client.baseUrl("full")}/health` });
	if (status !== 200) return [];
	try {
		const page: unknown = JSON.parse(fromUtf8(body));
		const warnings = isRecord(page) ? page["warnings"] : undefined;
		return Array.isArray(warnings) ? warnings.map(String) : [];
	} catch {
		return [];
	}
}
