/** What questions to a node have in common: which node, which view, which block, and lists of what they are about. */

import { fromHex } from "../../protocol/bytes.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure, type RefusedLine, refusalOfList } from "../../wallet/failure.js";
import {
	type BlockReference,
	fetchBlockById,
	fetchBlockByNumber,
	fetchHead,
} from "../../wallet/node/chain-query.js";
import { NodeClient, type NodeView } from "../../wallet/node/node-client.js";
import { withoutArgumentSecrets } from "../keys/argument-secrets.js";
import { asFailure } from "../output/failure-report.js";

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

/** Lines that are looked at in spite of so many that can't be read: each may have cost a search of the keystore. */
const MAX_REFUSED = 20;

/**
 * What an argument, or each line of a list, stands for; blank lines and comments are left out.
 * @throws {Failure} of a list one refusal for the lines that stand for nothing, twenty at most, so that it comes before the first answer
 */
export async function readEach<T>(
	{ text, fromStdin }: { readonly text: string; readonly fromStdin: boolean },
	read: (value: string) => T | Promise<T>,
): Promise<T[]> {
	if (!fromStdin) return [await read(text)];
	const values: T[] = [];
	const refused: RefusedLine[] = [];
	for (const [number, line] of text.split(/\r?\n/).entries()) {
		const value = line.trim();
		if (value === "" || value.startsWith("#")) continue;
		try {
			values.push(await read(value));
		} catch (error) {
			refused.push({
				line: number + 1,
				index: values.length + refused.length,
				failure: withoutArgumentSecrets(asFailure(error), "", [value]),
			});
			if (refused.length === MAX_REFUSED) break;
		}
	}
	const [first, ...others] = refused;
	if (first) throw refusalOfList([first, ...others], "can't be read");
	return values;
}
