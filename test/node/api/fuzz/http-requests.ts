/** Requests to the HTTP servers: walks over the OpenAPI document with values that fit, don't fit, lack or exceed. */

import fc from "fast-check";
import type { ServerKind } from "../../../../src/node/api/context.js";
import { openApiDocument } from "../../../../src/node/api/openapi.js";
import { largeObjects } from "./large-texts.js";
import { anyValue, broken, fitting } from "./values.js";

/** One request by any HTTP client. */
export interface HttpRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Buffer | undefined;
}

interface Schema {
	readonly $ref?: string;
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
	readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface OpenApi {
	readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An endpoint with the types of its fields. */
interface Place {
	readonly path: string;
	readonly fields: readonly (readonly [name: string, type: string])[];
}

const FOLDERS: Readonly<Record<ServerKind, string>> = {
	full: "/wallet/",
	solidity: "/walletsolidity/",
	pbft: "/walletpbft/",
};

function places(server: ServerKind): readonly Place[] {
	const document = openApiDocument("deployed") as unknown as OpenApi;
	const resolve = (schema: Schema): Schema =>
		schema.$ref ? (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
	const found = Object.entries(document.paths).filter(
		([path]) => path.startsWith(FOLDERS[server]) || (server === "full" && /^\/(net|monitor)\//.test(path)),
	);
	return found.map(([path, operations]) => {
		const fields = new Map<string, string>();
		for (const operation of Object.values(operations) as Operation[]) {
			for (const { name, schema } of operation.parameters ?? []) fields.set(name, schema.type ?? "any");
			for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
				for (const [name, field] of Object.entries(resolve(schema).properties ?? {})) {
					fields.set(name, resolve(field).type ?? "any");
				}
			}
		}
		return { path, fields: [...fields] };
	});
}

const EXTRA = [
	"visible",
	"Permission_id",
	"permission_id",
	"extra_data",
	"nosuch",
	"__proto__",
	"constructor",
	"",
];

function membersOf({ fields }: Place): fc.Arbitrary<Readonly<Record<string, unknown>>> {
	const one = ([name, type]: readonly [string, string]) =>
		fc.oneof(
			{ weight: 5, arbitrary: fitting(type).map((value) => [name, value] as const) },
			{ weight: 3, arbitrary: anyValue.map((value) => [name, value] as const) },
			{ weight: 2, arbitrary: fc.constant(undefined) },
		);
	const extra = fc.option(fc.tuple(fc.constantFrom(...EXTRA), anyValue), { freq: 3, nil: undefined });
	return fc
		.tuple(...fields.map(one), extra)
		.map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)));
}

const TYPES = [
	"application/json",
	"application/json; charset=utf-8",
	"application/x-www-form-urlencoded",
	"text/plain; charset=utf-16le",
	"application/json; charset=nosuch",
	"multipart/form-data; boundary=x",
	"",
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/** A text in a URL or header: what the client library lets through. */
const queryOf = (members: Readonly<Record<string, unknown>>): string =>
	new URLSearchParams(
		Object.entries(members).map(([name, value]): [string, string] => [
			name,
			(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 2_000),
		]),
	).toString();

/** Requests to one of the servers. */
export function httpRequests(server: ServerKind): fc.Arbitrary<HttpRequest> {
	const all = places(server);
	if (all.length === 0) throw new Error(`the document has no paths of ${server}`);
	const place = fc.constantFrom(...all);
	const withMembers = place.chain((one) => membersOf(one).map((members) => ({ path: one.path, members })));
	const json = (members: Readonly<Record<string, unknown>>): string => JSON.stringify(members);
	const plain = { "content-type": "application/json" };
	const bodies = withMembers.map(
		({ path, members }): HttpRequest => ({ method: "POST", path, headers: plain, body: json(members) }),
	);
	const queries = withMembers.map(
		({ path, members }): HttpRequest => ({
			method: "GET",
			path: `${path}?${queryOf(members)}`,
			headers: {},
			body: undefined,
		}),
	);
	const damaged = fc
		.tuple(place, broken(withMembers.map(({ members }) => json(members))), fc.constantFrom(...TYPES))
		.map(
			([{ path }, body, type]): HttpRequest => ({
				method: "POST",
				path,
				headers: { "content-type": type },
				body,
			}),
		);
	const forms = fc.tuple(withMembers, fc.constantFrom(...TYPES)).map(
		([{ path, members }, type]): HttpRequest => ({
			method: "POST",
			path: `${path}?visible=true`,
			headers: { "content-type": type },
			body: queryOf(members),
		}),
	);
	const costly = fc
		.tuple(place, largeObjects)
		.map(([{ path }, body]): HttpRequest => ({ method: "POST", path, headers: plain, body }));
	const odd = fc
		.tuple(
			fc.constantFrom(...METHODS),
			fc.array(
				fc.constantFrom(
					"wallet",
					"walletsolidity",
					"getaccount",
					"..",
					".",
					"",
					"%2e",
					"%",
					"%zz",
					";x",
					"%00",
					"a?b=%",
				),
				{
					maxLength: 5,
				},
			),
			fc.constantFrom("application/json", "text/html", "*/*", "x".repeat(3_000)),
		)
		.map(
			([method, parts, accept]): HttpRequest => ({
				method,
				path: `/${parts.join("/")}`,
				headers: { accept },
				body: undefined,
			}),
		);
	const large = fc.tuple(place, fc.integer({ min: 1, max: 6 })).map(
		([{ path }, size]): HttpRequest => ({
			method: "POST",
			path,
			headers: plain,
			body: `{"value":"${"a".repeat(size << 20)}"}`,
		}),
	);
	return fc.oneof(
		{ weight: 400, arbitrary: bodies },
		{ weight: 200, arbitrary: queries },
		{ weight: 200, arbitrary: damaged },
		{ weight: 80, arbitrary: forms },
		{ weight: 80, arbitrary: odd },
		{ weight: 1, arbitrary: large },
		{ weight: 4, arbitrary: costly },
	);
}
