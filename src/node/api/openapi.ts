/**
 * The HTTP API as an OpenAPI 3.1 document, generated from the endpoint table. It loads the whole schema:
 * import this only where the document is requested.
 */

import type {
	EnumDescriptor,
	FieldDescriptor,
	Message,
	MessageType,
} from "../../protocol/codec/descriptor.js";
import { type Dialect, spell } from "../../protocol/dialect.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import * as messages from "../../protocol/messages.js";
import type { ServerKind } from "./context.js";
import type { Endpoint, RequestField } from "./endpoint.js";
import { endpointGroups, routesOf } from "./endpoint-table.js";
import { HISTORY_TAG, historyPaths, historySchemas } from "./history-openapi.js";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

const SERVERS: Readonly<Record<ServerKind, { readonly port: number; readonly description: string }>> = {
	full: { port: 8090, description: "Full node: the head, with pending transactions." },
	solidity: { port: 8091, description: "Solidified blocks only." },
	pbft: { port: 8092, description: "Blocks that PBFT messages have confirmed." },
};

const messageTypes = new Map<string, MessageType<Message>>();
const enumerations = new Map<string, EnumDescriptor>();
for (const value of Object.values(messages) as readonly unknown[]) {
	if (typeof value === "function" && "typeName" in value && "fields" in value) {
		const type = value as MessageType<Message>;
		messageTypes.set(type.typeName, type);
	} else if (typeof value === "object" && value !== null && "names" in value && "typeName" in value) {
		enumerations.set((value as EnumDescriptor).typeName, value as EnumDescriptor);
	}
}

const INT64: JsonObject = { type: "integer", format: "int64" };
const HEX: JsonObject = { type: "string", description: "Hexadecimal." };
const ADDRESS: JsonObject = {
	type: "string",
	description: "42 hexadecimal digits; Base58Check where visible is true.",
};
const TEXT: JsonObject = { type: "string", description: "Hexadecimal; plain text where visible is true." };

const SCALARS: Readonly<Record<string, JsonObject>> = {
	int32: { type: "integer", format: "int32" },
	int64: INT64,
	bool: { type: "boolean" },
	double: { type: "number" },
	string: { type: "string" },
	bytes: HEX,
	text: TEXT,
	address: ADDRESS,
};

/** Schemas in the table that no message describes. */
const WRITTEN: Readonly<Record<string, JsonObject>> = {
	Error: {
		type: "object",
		description: "What was wrong, behind the name of its class.",
		properties: { Error: { type: "string" } },
		required: ["Error"],
	},
	Json: { type: "object", additionalProperties: true },
	Transaction: {
		type: "object",
		properties: {
			visible: { type: "boolean", description: "In answers of builders only." },
			txID: { type: "string", description: "SHA-256 of raw_data_hex." },
			contract_address: { type: "string", description: "What a deployment creates." },
			raw_data: {
				type: "object",
				properties: {
					contract: {
						type: "array",
						items: {
							type: "object",
							properties: {
								type: { type: "string" },
								parameter: {
									type: "object",
									properties: {
										type_url: { type: "string" },
										value: { type: "object", additionalProperties: true },
									},
								},
								Permission_id: SCALARS["int32"] as JsonObject,
							},
						},
					},
					ref_block_bytes: HEX,
					ref_block_hash: HEX,
					expiration: INT64,
					timestamp: INT64,
					fee_limit: INT64,
					data: HEX,
				},
			},
			raw_data_hex: HEX,
			signature: { type: "array", items: HEX },
			ret: { type: "array", items: { type: "object", additionalProperties: true } },
		},
	},
	Block: {
		type: "object",
		properties: {
			blockID: HEX,
			block_header: { $ref: "#/components/schemas/BlockHeader" },
			transactions: { type: "array", items: { $ref: "#/components/schemas/Transaction" } },
		},
	},
	BlockList: {
		type: "object",
		properties: { block: { type: "array", items: { $ref: "#/components/schemas/Block" } } },
	},
	TransactionInfos: {
		anyOf: [
			{ type: "array", items: { $ref: "#/components/schemas/TransactionInfo" } },
			{ type: "object", description: "Of block 0 and of numbers below: empty.", maxProperties: 0 },
		],
	},
};

/** The address of each API. */
export type ServerAddresses = Readonly<Record<ServerKind, string>>;

const DEFAULT_ADDRESSES: ServerAddresses = {
	full: `http://127.0.0.1:${SERVERS.full.port}`,
	solidity: `http://127.0.0.1:${SERVERS.solidity.port}`,
	pbft: `http://127.0.0.1:${SERVERS.pbft.port}`,
};

/** Builds the document in a dialect's spelling. */
export function openApiDocument(dialect: Dialect, addresses = DEFAULT_ADDRESSES): JsonObject {
	return new Document(dialect, addresses).build();
}

class Document {
	private readonly schemas = new Map<string, JsonObject>();

	constructor(
		private readonly dialect: Dialect,
		private readonly addresses: ServerAddresses,
	) {}

	build(): JsonObject {
		const paths = new Map<string, JsonObject>();
		for (const { title, endpoints } of endpointGroups) {
			for (const endpoint of endpoints) {
				for (const [path, servers] of this.pathsOf(endpoint)) {
					paths.set(path, this.pathItem(title, endpoint, path, servers));
				}
			}
		}
		const [full = {}] = this.serverList(["full"]);
		for (const [path, item] of historyPaths(this.dialect, full)) paths.set(path, item);
		for (const [name, schema] of Object.entries(historySchemas)) this.schemas.set(name, schema);
		this.reference("BlockHeader");
		this.reference("Error");
		return {
			openapi: "3.1.0",
			info: {
				title: "coin node HTTP API",
				version: "1",
				description:
					"Every answer of an endpoint has status 200, errors too, but for those below /v1. Amounts are in sun, times in milliseconds. Where visible is true, addresses are Base58Check and names plain text; else both are hexadecimal.",
			},
			servers: this.serverList(Object.keys(SERVERS) as ServerKind[]),
			tags: [...endpointGroups.map(({ title }) => title), HISTORY_TAG].map((name) => ({ name })),
			paths: Object.fromEntries(paths),
			components: { schemas: Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
		};
	}

	/** APIs at the same address are one server. */
	private serverList(kinds: readonly ServerKind[]): JsonObject[] {
		const urls = [...new Set(kinds.map((kind) => this.addresses[kind]))];
		return urls.map((url) => {
			const here = kinds.filter((kind) => this.addresses[kind] === url);
			return { url, description: here.map((kind) => SERVERS[kind].description).join(" ") };
		});
	}

	/** An endpoint's paths in this spelling, each with its servers. */
	private pathsOf(endpoint: Endpoint): ReadonlyMap<string, readonly ServerKind[]> {
		const found = new Map<string, ServerKind[]>();
		for (const server of Object.keys(SERVERS) as ServerKind[]) {
			for (const [path, served] of routesOf(server)) {
				if (served !== endpoint || path !== spell(path, this.dialect)) continue;
				if (this.dialect === "neutral" && path !== this.neutralPath(endpoint, path)) continue;
				found.set(path, [...(found.get(path) ?? []), server]);
			}
		}
		return found;
	}

	private neutralPath(endpoint: Endpoint, path: string): string {
		return path.replace(/[^/]*$/, endpoint.name);
	}

	private pathItem(
		tag: string,
		endpoint: Endpoint,
		path: string,
		servers: readonly ServerKind[],
	): JsonObject {
		const item: Record<string, Json> = {
			servers: this.serverList(servers),
		};
		for (const method of ["get", "post"] as const) {
			const mode = endpoint[method];
			if (mode === "refused" || mode === "empty") continue;
			const input = mode === "query" ? this.parameters(endpoint) : this.body(endpoint);
			item[method] = {
				operationId: `${method}${path.replaceAll("/", "_")}`,
				tags: [tag],
				summary: endpoint.about,
				...input,
				responses: this.responses(endpoint),
			};
		}
		return item;
	}

	private parameters({ fields }: Endpoint): JsonObject {
		const visible: RequestField = { name: "visible", type: "bool" };
		return {
			parameters: [...fields, visible].map(({ name, type }) => ({
				name: spell(name, this.dialect),
				in: "query",
				schema: this.schema(type),
			})),
		};
	}

	private body({ fields }: Endpoint): JsonObject {
		const properties = Object.fromEntries(
			[...fields, { name: "visible", type: "bool" }].map(({ name, type }) => [
				spell(name, this.dialect),
				this.schema(type),
			]),
		);
		return {
			requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
		};
	}

	private responses({ answers }: Endpoint): JsonObject {
		const schema = { anyOf: [this.schema(answers), { $ref: "#/components/schemas/Error" }] };
		return { "200": { description: "The answer.", content: { "application/json": { schema } } } };
	}

	/** The schema for a type name in the table: a scalar, an enum, a message, or a list of one. */
	private schema(type: string): JsonObject {
		if (type.endsWith("[]")) return { type: "array", items: this.schema(type.slice(0, -2)) };
		const scalar = SCALARS[type];
		if (scalar) return scalar;
		const enumeration = enumerations.get(type);
		if (enumeration) return this.enumSchema(enumeration);
		return this.reference(type.replace(/^protocol\./, ""));
	}

	private enumSchema({ values }: EnumDescriptor): JsonObject {
		return { type: "string", enum: Object.keys(values).map((name) => spell(name, this.dialect)) };
	}

	private reference(name: string): JsonObject {
		const written = WRITTEN[name];
		if (!this.schemas.has(name)) {
			this.schemas.set(name, written ?? {});
			if (!written) this.schemas.set(name, this.messageSchema(name));
			if (name.startsWith("Block")) this.reference("Transaction");
			if (name === "BlockList") this.reference("Block");
			if (name === "TransactionInfos") this.reference("TransactionInfo");
		}
		return { $ref: `#/components/schemas/${name}` };
	}

	private messageSchema(name: string): JsonObject {
		const type = messageTypes.get(`protocol.${name}`) ?? messageTypes.get(name);
		if (!type) throw new Error(`the endpoint table names ${name}, which is not a message`);
		const properties = type.fields.map((field) => [
			spell(field.name, this.dialect),
			this.fieldSchema(type.typeName, field),
		]);
		return { type: "object", properties: Object.fromEntries(properties) };
	}

	private fieldSchema(owner: string, field: FieldDescriptor): JsonObject {
		const value = this.valueSchema(owner, field);
		if (field.label === "repeated") return { type: "array", items: value };
		if (field.label === "singular") return value;
		const key = SCALARS[field.keyKind ?? "string"] as JsonObject;
		return { type: "array", items: { type: "object", properties: { key, value } } };
	}

	private valueSchema(owner: string, { name, kind, message, enumeration }: FieldDescriptor): JsonObject {
		if (kind === "enum") return enumeration ? this.enumSchema(enumeration) : { type: "string" };
		if (kind === "message") {
			const inner = message?.().typeName ?? "";
			return messageTypes.has(inner) ? this.schema(inner) : this.reference("Json");
		}
		if (kind !== "bytes") return SCALARS[kind] as JsonObject;
		const shown = byteClass(owner, name);
		return shown === "address" ? ADDRESS : shown === "text" ? TEXT : HEX;
	}
}
