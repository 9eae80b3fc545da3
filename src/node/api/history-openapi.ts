/** The history API in the OpenAPI document (protocol/history §§3 to 7). */

import { type Dialect, spell } from "../../protocol/dialect.js";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

const TEXT: JsonObject = { type: "string" };
const FLAG: JsonObject = { type: "boolean" };
const NUMBER: JsonObject = { type: "integer", minimum: 0 };
const ROW: JsonObject = { type: "object", additionalProperties: true };

/** Query parameters, grouped into sets. */
const PARAMETERS = {
	page: { limit: { type: "integer", minimum: 1, maximum: 200, default: 20 }, fingerprint: TEXT },
	state: { only_confirmed: FLAG },
	confirmed: { only_confirmed: FLAG, only_unconfirmed: FLAG },
	way: { only_to: FLAG, only_from: FLAG },
	times: {
		min_timestamp: NUMBER,
		max_timestamp: NUMBER,
		min_block_timestamp: NUMBER,
		max_block_timestamp: NUMBER,
	},
	order: {
		order_by: { type: "string", enum: ["block_timestamp,desc", "block_timestamp,asc"] },
	},
	internal: { search_internal: { type: "boolean", default: true } },
	contract: { contract_address: TEXT },
	token: { token_id: TEXT },
	event: { event_name: TEXT, block_number: NUMBER },
	contracts: { contract_list: TEXT },
	named: { name: TEXT },
	balance: { order_by: { type: "string", enum: ["balance,desc", "balance,asc"] } },
	assets: {
		order_by: {
			type: "string",
			enum: ["total_supply", "start_time", "end_time", "id"].flatMap((key) => [`${key},asc`, `${key},desc`]),
		},
	},
} satisfies Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

type ParameterSet = keyof typeof PARAMETERS;

const OF_ROWS: readonly ParameterSet[] = ["page", "confirmed", "times", "order"];

/** Paths below /v1, their descriptions, and their parameter sets besides path parameters. */
const ROUTES: readonly (readonly [path: string, about: string, sets: readonly ParameterSet[]])[] = [
	["accounts/{account}", "The account, with its ORC-20 balances.", ["confirmed"]],
	["accounts/{account}/transactions", "Its transactions.", [...OF_ROWS, "way", "internal"]],
	[
		"accounts/{account}/transactions/orc20",
		"Its transfers of ORC-20 tokens.",
		[...OF_ROWS, "way", "contract"],
	],
	["accounts/{account}/transactions/orc10", "Its transfers of ORC-10 tokens.", [...OF_ROWS, "way", "token"]],
	["accounts/{account}/internal-transactions", "Its internal transactions.", [...OF_ROWS, "way"]],
	["accounts/{account}/orc20/balance", "Its balances of ORC-20 tokens.", ["page", "state", "contract"]],
	["accounts/{account}/resources", "Its resources.", []],
	[
		"contracts",
		"Contracts by a name or selector in the sources that the node's owner has stored.",
		["named"],
	],
	["contracts/{contract}/transactions", "Transactions of a contract.", [...OF_ROWS, "way", "internal"]],
	["contracts/{contract}/internal-transactions", "Its internal transactions.", [...OF_ROWS, "way"]],
	["contracts/{contract}/events", "Its events.", [...OF_ROWS, "event"]],
	["contracts/{contract}/tokens", "Holders of its tokens.", ["page", "state", "balance"]],
	["contracts/{contract}/source", "Its sources, where the node's owner has stored them.", []],
	["transactions/{id}/events", "Events of a transaction.", ["page", "confirmed"]],
	["transactions/{id}/internal-transactions", "Its internal transactions.", ["page", "confirmed"]],
	["blocks/{block}/events", "Events of a block: a number, an id, or latest.", ["page", "confirmed"]],
	["blocks/{block}/stats", "Sums of fees and usage of a block.", []],
	["assets", "ORC-10 tokens.", ["page", "assets"]],
	["assets/{asset}", "ORC-10 tokens of a number or an issuer.", ["state"]],
	["assets/{asset}/list", "ORC-10 tokens of a name.", ["page"]],
	["orc20/info", "Facts of ORC-20 tokens.", ["contracts"]],
];

const ENVELOPE: JsonObject = {
	type: "object",
	properties: {
		data: { type: "array", items: ROW },
		success: FLAG,
		meta: {
			type: "object",
			properties: {
				at: NUMBER,
				fingerprint: TEXT,
				links: { type: "object", properties: { next: TEXT } },
				page_size: NUMBER,
				complete: {
					type: "boolean",
					description:
						"false, of tokens: some contracts or accounts were not asked, or needed too much energy.",
				},
				backfill: {
					type: "object",
					description: "Only while old blocks are indexed.",
					properties: { complete: FLAG, indexed_from: NUMBER, missing: NUMBER },
				},
			},
		},
	},
	required: ["data", "success", "meta"],
};

const REFUSAL: JsonObject = {
	type: "object",
	properties: { success: FLAG, error: TEXT, statusCode: NUMBER },
	required: ["success", "error", "statusCode"],
};

export const HISTORY_TAG = "History";

/** @param server where the full HTTP API is served */
export function historyPaths(dialect: Dialect, server: JsonObject): ReadonlyMap<string, JsonObject> {
	const answer = (description: string, name: string): JsonObject => ({
		description,
		content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
	});
	return new Map(
		ROUTES.map(([route, about, sets]) => {
			const path = `/v1/${route.replace(/orc\d0/, (word) => spell(word, dialect))}`;
			const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
				name,
				in: "path",
				required: true,
				schema: TEXT,
			}));
			const inQuery = sets.flatMap((set) =>
				Object.entries(PARAMETERS[set]).map(([name, schema]) => ({ name, in: "query", schema })),
			);
			const item: JsonObject = {
				servers: [server],
				get: {
					operationId: `get${path.replace(/[{}]/g, "").replaceAll(/[/-]/g, "_")}`,
					tags: [HISTORY_TAG],
					summary: about,
					parameters: [...inPath, ...inQuery],
					responses: {
						"200": answer("A page.", "HistoryPage"),
						"400": { description: "A parameter is wrong; without a body where limit is too large." },
						"404": answer("There is no such path, or the node keeps no history.", "HistoryRefusal"),
						"503": answer("The history can't be read now.", "HistoryRefusal"),
					},
				},
			};
			return [path, item] as const;
		}),
	);
}

export const historySchemas: Readonly<Record<string, JsonObject>> = {
	HistoryPage: ENVELOPE,
	HistoryRefusal: REFUSAL,
};
