/** Requests to the JSON-RPC servers. */

import fc from "fast-check";
import { methods } from "../../../../src/node/api/jsonrpc/method-table.js";
import type { HttpRequest } from "./http-requests.js";
import { largeCalls } from "./large-texts.js";
import { anyValue, broken, CONTRACT_HEX } from "./values.js";

const FIELDS = [
	"from",
	"to",
	"data",
	"value",
	"gas",
	"gasPrice",
	"address",
	"topics",
	"fromBlock",
	"toBlock",
	"blockHash",
];

/** Objects from which transactions are built. */
const build = fc.dictionary(
	fc.constantFrom(
		"from",
		"to",
		"data",
		"value",
		"gas",
		"tokenId",
		"tokenValue",
		"abi",
		"name",
		"permissionId",
		"extraData",
		"visible",
	),
	anyValue,
	{ maxKeys: 7 },
);
const contractCall = fc.record({
	from: fc.constantFrom<unknown>("0xe2e1a54926527fbb4e4420de4c6bab82beaee24d", "", null),
	to: fc.constant(`0x${CONTRACT_HEX.slice(2)}`),
	data: fc.oneof(
		{ weight: 60, arbitrary: fc.constantFrom("0x", "0x00", "0x12345678", "0xzz") },
		{ weight: 1, arbitrary: fc.constant("0xff") },
	),
	gas: fc.constantFrom("0x30000", "0x0", "0xzz", "-1"),
});

const object = fc.dictionary(fc.constantFrom(...FIELDS, "input", "nosuch", "__proto__"), anyValue, {
	maxKeys: 5,
});
const parameter: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 3, arbitrary: anyValue },
	{ weight: 2, arbitrary: object },
	{ weight: 1, arbitrary: build },
	{ weight: 1, arbitrary: contractCall },
	{ weight: 2, arbitrary: fc.constantFrom("latest", "0x0", "0x1", `0x${"1".repeat(64)}`, true, false) },
);
const name = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom(...methods.map((method) => method.name)) },
	{
		weight: 1,
		arbitrary: fc.constantFrom<unknown>("", "eth_nosuch", 5, null, {}, [], "constructor", "__proto__"),
	},
);
const id = fc.constantFrom<unknown>(1, "a", 0, -1, 1.5, 2 ** 40, null, true, {}, [], undefined);
const call = fc
	.record({
		jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2, null, undefined),
		id,
		method: name,
		params: fc.oneof(
			{ weight: 10, arbitrary: fc.array(parameter, { maxLength: 4 }) },
			{ weight: 1, arbitrary: anyValue },
		),
	})
	.map((value) => JSON.stringify(value));

const batch = fc.array(call, { maxLength: 12 }).map((calls) => `[${calls.join(",")}]`);
const body = fc.oneof(
	{ weight: 10, arbitrary: call },
	{ weight: 2, arbitrary: batch },
	{ weight: 1, arbitrary: anyValue.map((value) => JSON.stringify(value) ?? "") },
);

const post = (content: string | Buffer): HttpRequest => ({
	method: "POST",
	path: "/jsonrpc",
	headers: { "content-type": "application/json" },
	body: content,
});

export const rpcRequests: fc.Arbitrary<HttpRequest> = fc.oneof(
	{ weight: 80, arbitrary: body.map(post) },
	{ weight: 20, arbitrary: broken(body).map(post) },
	{ weight: 1, arbitrary: largeCalls.map(post) },
	{
		weight: 2,
		arbitrary: fc
			.tuple(
				fc.constantFrom("GET", "PUT", "HEAD", "OPTIONS", "POST"),
				fc.constantFrom("/jsonrpc", "/", "/jsonrpc/", "/x"),
			)
			.map(([method, path]): HttpRequest => ({ method, path, headers: {}, body: undefined })),
	},
);
