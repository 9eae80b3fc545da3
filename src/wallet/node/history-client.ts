/** Reads the history of accounts and contracts from a node with an index, or from the public gateway (protocol/history §§3 to 5). */

import { toBase58Check } from "../../protocol/address.js";
import { spell } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";
import { isRecord, type JsonRecord, member, readJson } from "../json.js";
import { type NodeClient, readRecordAnswer } from "./node-client.js";

/** Rows per request; servers refuse more. */
const PAGE_ROWS = 200;
/** After this many empty pages in a row, a server's claim that more pages follow is no longer trusted. */
const MAX_EMPTY_PAGES = 1_000;

/** Parameters of a request by name; undefined ones are omitted. */
type HistoryParameters = Readonly<Record<string, string | undefined>>;

/**
 * Yields all rows of a path, fetching page after page as the caller consumes them.
 * @param path below `/v1/`, in the neutral spelling
 * @throws {Failure} `not_served` if the node has no index
 */
export async function* historyRows(
	client: NodeClient,
	path: string,
	parameters: HistoryParameters = {},
	limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<JsonRecord> {
	let fingerprint: string | undefined;
	let given = 0;
	let empty = 0;
	const size = Math.min(PAGE_ROWS, Math.max(limit, 1));
	do {
		const { rows, next } = await historyPage(client, path, {
			...parameters,
			limit: String(size),
			fingerprint,
		});
		for (const row of rows) {
			if (given++ >= limit) return;
			yield row;
		}
		empty = rows.length === 0 ? empty + 1 : 0;
		if (empty > MAX_EMPTY_PAGES || next === fingerprint) return;
		fingerprint = next;
	} while (fingerprint !== undefined && given < limit);
}

export interface RowsPage {
	readonly rows: readonly JsonRecord[];
	/** Cursor of the next page; undefined on the last one. */
	readonly next: string | undefined;
	/** False while older blocks have yet to be indexed. */
	readonly isComplete: boolean;
}

/** Fetches one page of a path. @throws {Failure} as {@link historyRows} */
export async function historyPage(
	client: NodeClient,
	path: string,
	parameters: HistoryParameters,
): Promise<RowsPage> {
	const given = Object.entries(parameters).filter(
		(entry): entry is [string, string] => entry[1] !== undefined,
	);
	// Respells only whole path segments: an address may contain the same letters as a brand word.
	const words = path
		.split("/")
		.map((word) => (word === "orc20" ? spell(word, client.settings.dialect) : word));
	const url = `${client.baseUrl("full")}/v1/${words.join("/")}?${new URLSearchParams(given).toString()}`;
	const answer = await client.send({ method: "GET", url, isReading: true });
	if (answer.status === 404) throw notServed(url, Buffer.from(answer.body).toString("utf8"));
	const record = readRecordAnswer(answer, url);
	const { data } = record;
	const meta = record["meta"];
	const next = isRecord(meta) ? member(meta, "fingerprint") : undefined;
	if (!Array.isArray(data)) throw new Failure("rpc_error", `${new URL(url).host} answered without a list`);
	const isComplete = !isRecord(meta) || meta["backfill"] === undefined;
	return { rows: data.filter(isRecord), next: typeof next === "string" ? next : undefined, isComplete };
}

function notServed(url: string, body: string): Failure {
	const { host } = new URL(url);
	let reason: unknown;
	try {
		const value = readJson(body);
		reason = isRecord(value) ? value["error"] : undefined;
	} catch {
		// An HTML page or other text from a server without this API.
	}
	const isSwitchedOff = typeof reason === "string" && reason.includes("node.history.index");
	return new Failure(
		"not_served",
		isSwitchedOff
			? `${host} keeps no history by account and contract`
			: `${host} has no interface for histories (/v1)`,
		{ hint: "start the node with node.history.index = on, or name one that has it with --node" },
	);
}

/** The path of an account's or contract's list. */
export const historyPath = (kind: "accounts" | "contracts", address: Uint8Array, list: string): string =>
	`${kind}/${toBase58Check(address)}${list === "" ? "" : `/${list}`}`;
