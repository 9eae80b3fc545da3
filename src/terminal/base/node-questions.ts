/** What queries to a node have in common: node, view and block, and lists of subjects. */

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

/** Client of the configured node, for the state right after a block if one is given. @throws {Failure} `bad_value`; `not_found` */
export async function stateClient(settings: Settings, block: string | undefined): Promise<NodeClient> {
	const client = new NodeClient(settings);
	return block === undefined || block === "head" || block === "latest"
		? client
		: new NodeClient(settings, await fetchBlockNamed(client, block, "full"));
}

/**
 * Fetches a block by what users write: a number, `head`, `solid`, `earliest`, or a 64-digit id; also Ethereum's `latest` and `finalized`.
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

/** Reading stops after this many bad lines, since each may cost a search of the keystore. */
const MAX_REFUSED = 20;

/**
 * Resolves an argument, or each line of a list; skips blank lines and comments.
 * @throws {Failure} for a list, one failure for all bad lines, at most twenty, before the first result is printed
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
