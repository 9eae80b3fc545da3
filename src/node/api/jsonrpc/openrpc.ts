/** The JSON-RPC methods as an OpenRPC 1.3 document (open-rpc.org), generated from the method table. */

import type { RpcMethod } from "./method.js";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type Schema = { readonly [name: string]: Json };

const QUANTITIES = "QUANTITY and DATA are hexadecimal texts that begin with 0x.";

/** Schemas by the table's type labels. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
	string: { type: "string" },
	boolean: { type: "boolean" },
	int32: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
	int64: { type: "integer", description: "64 bits, signed." },
	any: {},
	"any[]": { type: "array" },
};

function schemaOf(label: string): Schema {
	const known = SCHEMAS[label];
	if (known) return known;
	const members = /^object\{(.*)\}$/.exec(label)?.[1];
	if (members === undefined) throw new Error(`no schema for the type ${label}`);
	const names = members.split(", ").filter((name) => name !== "");
	return {
		type: "object",
		properties: Object.fromEntries(names.map((name) => [name, {}])),
		additionalProperties: false,
	};
}

/**
 * @param methods each once
 * @param version of the network's release that the methods are of
 */
export function openRpcDocument(methods: readonly RpcMethod[], version: string): Schema {
	return {
		openrpc: "1.3.2",
		info: { title: "coin node JSON-RPC", version, description: QUANTITIES },
		methods: methods.map(({ name, alias, about, parameters, least = parameters.length }) => ({
			name,
			summary: alias === undefined ? about : `${about} Also called ${alias}.`,
			paramStructure: "by-position",
			params: parameters.map((parameter, i) => ({
				name: parameter.name,
				required: i < least,
				schema: schemaOf(parameter.type),
			})),
			result: { name: "result", schema: {} },
		})),
	};
}
