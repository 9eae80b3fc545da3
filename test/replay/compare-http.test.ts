import { describe, expect, it } from "vitest";
import { clockOf, compareHttp, type Ids, toRequest } from "../../tools/replay/compare-http.js";
import type { RequestLine } from "../../tools/replay/recording.js";
import type { HttpAnswer } from "../../tools/replay/target.js";
import { show } from "../../tools/replay/tree.js";

const JSON_TYPE = "application/json;charset=utf-8";

function line(path: string, answer: string, more: Partial<RequestLine> = {}): RequestLine {
	return {
		t: "req",
		head: 1,
		port: "full",
		verb: "POST",
		path,
		body: "{}",
		status: 200,
		type: JSON_TYPE,
		answer,
		...more,
	};
}

function answered(recorded: RequestLine, body: string, more: Partial<HttpAnswer> = {}): HttpAnswer {
	return { status: recorded.status, type: recorded.type, allow: recorded.allow, body, ...more };
}

/** `passed`, `skipped`, or where and how the answers differ. */
function compare(
	recorded: RequestLine,
	body: string,
	more: Partial<HttpAnswer> = {},
	ids: Ids = new Map(),
): string {
	const outcome = compareHttp(recorded, answered(recorded, body, more), ids);
	if (outcome.kind !== "failed") return outcome.kind;
	return outcome.differences
		.map(({ path, expected, got }) => `${path}: ${show(expected)} ${show(got)}`)
		.join("; ");
}

it.each([
	["wallet/scannotebyivk", "full", "{}", 200, "passed"],
	["wallet/isspend", "full", '{"Error":"class org.tron.core.exception.ZksnarkException : x"}', 200, "passed"],
	["walletsolidity/isspend", "solidity", "", 200, "passed"],
	["wallet/isspend", "full", "<html>", 405, '(answer): "(200, and an object)" "405 <html>"'],
	["wallet/isspend", "full", "no JSON", 200, '(answer): "(200, and an object)" "200 no JSON"'],
	[
		"wallet/isspend",
		"full",
		'{"Error":"class java.lang.RuntimeException : x is not a function"}',
		200,
		/^\(answer\): .* "200 .*RuntimeException : x is not/,
	],
])(
	"an endpoint that the reference lacks is answered all the same: %s of %s, %s",
	(path, port, body, status, expected) => {
		const recorded = line(path, "<html>", { ...PAGE, port });
		expect(compare(recorded, body, { status, type: "application/json" })).toMatch(expected);
	},
);

const PAGE = { status: 405, type: "text/html;charset=iso-8859-1" };
const RPC = { port: "jsonrpc", type: "application/json-rpc" };
const call = (method: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[]}`;
const reply = (result: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

describe("HTTP answers", () => {
	it.each<[string, RequestLine, string, string]>([
		["members in another order", line("wallet/x", '{"a":1,"b":"2"}\n'), '{"b":"2","a":1}', "passed"],
		["another value", line("wallet/x", '{"a":{"b":[1,2]}}'), '{"a":{"b":[1,3]}}', "a.b[1]: 2 3"],
		["items in another order", line("wallet/x", '{"a":[1,2]}'), '{"a":[2,1]}', "a[0]: 1 2; a[1]: 2 1"],
		["a missing member", line("wallet/x", '{"a":1,"b":2}'), '{"a":1}', "b: 2 (nothing)"],
		["a member too many", line("wallet/x", '{"a":1}'), '{"a":1,"b":2}', "b: (nothing) 2"],
		[
			"numbers beyond 2^53",
			line("wallet/x", '{"a":9007199254740993}'),
			'{"a":9007199254740992}',
			"a: 9007199254740993 9007199254740992",
		],
		["a number as text", line("wallet/x", '{"a":1}'), '{"a":"1"}', 'a: 1 "1"'],
		["one number in two forms", line("wallet/x", '{"a":1.0}'), '{"a":1}', "passed"],
		["blanks around a text", line("wallet/x", "INVALID address\n"), "INVALID address", "passed"],
		["another text", line("wallet/x", "INVALID address"), "INVALID hex", ': "INVALID address" "INVALID hex"'],
		["text for JSON", line("wallet/x", "{}"), "nothing", ': "{}" "nothing"'],
		["an empty answer", line("wallet/x", ""), "{}", ': "" "{}"'],
	])("with %s", (_, recorded, body, expected) => {
		expect(compare(recorded, body)).toBe(expected);
	});

	it.each<[string, Partial<HttpAnswer>, string]>([
		["status", { status: 500 }, "(status): 200 500"],
		["content type", { type: "text/plain" }, `(content type): "${JSON_TYPE}" "text/plain"`],
		["missing content type", { type: null }, `(content type): "${JSON_TYPE}" null`],
		["spelling of the content type", { type: "application/json; charset=UTF-8" }, "passed"],
	])("with another %s", (_, more, expected) => {
		expect(compare(line("wallet/x", "{}"), "{}", more)).toBe(expected);
	});

	it("compares the Allow header where it is recorded", () => {
		const recorded = line("wallet/x", "", { verb: "OPTIONS", allow: "GET, POST" });
		expect(compare(recorded, "", { allow: "GET" })).toBe('(allow): "GET, POST" "GET"');
		expect(compare(recorded, "")).toBe("passed");
	});

	it.each<[string, RequestLine, string, string]>([
		["an error page's text", line("wallet/x", "<html>a", PAGE), "<html>b", "passed"],
		[
			"what TRACE repeats",
			line("wallet/x", "TRACE a", { verb: "TRACE", type: "message/http" }),
			"TRACE b",
			"passed",
		],
		[
			"a random meter, but not a name",
			line("monitor/getstatsinfo", '{"a":{"b":1}}', { verb: "GET" }),
			'{"a":{"b":2}}',
			"passed",
		],
		[
			"the machine",
			line("wallet/getnodeinfo", '{"machineInfo":{"a":1},"peerList":[]}'),
			'{"machineInfo":{},"peerList":[1]}',
			"passed",
		],
		[
			"the order of witnesses",
			line("wallet/listwitnesses", '{"witnesses":[{"a":1},{"a":2}]}'),
			'{"witnesses":[{"a":2},{"a":1}]}',
			"passed",
		],
		[
			"names with raw control characters",
			line("wallet/getaccount", '{"account_name":"a\tb"}'),
			'{"account_name":"a\\tb"}',
			"passed",
		],
		[
			"the text of a runtime error",
			line("wallet/x", '{"Error":"class java.lang.NullPointerException : Cannot invoke y"}'),
			'{"Error":"class java.lang.NullPointerException : null"}',
			"passed",
		],
		[
			"the text of an index error",
			line("wallet/x", '{"code":"OTHER_ERROR","message":"Index 3 out of bounds for length 2"}'),
			'{"code":"OTHER_ERROR","message":"3"}',
			"passed",
		],
		[
			"an object's address",
			line("wallet/x", '{"message":"asset [<ByteString@24968ef size=7>]"}'),
			'{"message":"asset [<ByteString@1 size=7>]"}',
			"passed",
		],
	])("overlooks %s", (_, recorded, body, expected) => {
		expect(compare(recorded, body)).toBe(expected);
	});

	it.each<[string, RequestLine, string, RegExp]>([
		[
			"the name of a meter",
			line("monitor/getstatsinfo", '{"a":{"b":1}}', { verb: "GET" }),
			'{"a":{"c":1}}',
			/a\.b/,
		],
		[
			"a missing member of what is free",
			line("wallet/getnodeinfo", '{"machineInfo":{}}'),
			"{}",
			/machineInfo/,
		],
		[
			"another witness",
			line("wallet/listwitnesses", '{"witnesses":[{"a":1},{"a":2}]}'),
			'{"witnesses":[{"a":2},{"a":3}]}',
			/^witnesses\[0\]\.a: 1 3$/,
		],
		[
			"a witness that is listed twice",
			line("wallet/listwitnesses", '{"witnesses":[1,1]}'),
			'{"witnesses":[1]}',
			/witnesses\[0\]: 1 \(nothing\)/,
		],
		[
			"the class of a runtime error",
			line("wallet/x", '{"Error":"class java.lang.NullPointerException : null"}'),
			'{"Error":"class java.lang.NumberFormatException : null"}',
			/Error/,
		],
		[
			"the text of an error that is the network's",
			line("wallet/x", '{"Error":"class java.lang.IllegalArgumentException : a"}'),
			'{"Error":"class java.lang.IllegalArgumentException : b"}',
			/Error/,
		],
		["an error that is none", line("wallet/x", '{"message":"Error: null"}'), '{"message":""}', /message/],
		[
			"the rest of a text with an object's address",
			line("wallet/x", '{"message":"<ByteString@1 size=7>"}'),
			'{"message":"<ByteString@1 size=8>"}',
			/message/,
		],
		["broken JSON without control characters", line("wallet/x", '{"a":'), "{}", /./],
		[
			"an endpoint that only the reference's other server lacks",
			line("wallet/getnowblock", "<html>", PAGE),
			"<html>",
			/^passed$/,
		],
	])("but not %s", (_, recorded, body, expected) => {
		expect(compare(recorded, body)).toMatch(expected);
	});

	it("compares the class of runtime errors in hexadecimal messages", () => {
		const hex = (text: string) => Buffer.from(text).toString("hex");
		const body = (text: string) => `{"result":{"message":"${hex(text)}"}}`;
		const recorded = line("wallet/x", body("class java.lang.NullPointerException : Cannot invoke y"));
		expect(compare(recorded, body("class java.lang.NullPointerException : null"))).toBe("passed");
		expect(compare(recorded, body("class java.lang.Exception : null"))).toMatch(/^result\.message/);
	});
});

describe("JSON-RPC answers", () => {
	it("compare their results", () => {
		const recorded = line("jsonrpc", reply('"0x1"'), { ...RPC, body: call("eth_blockNumber") });
		expect(compare(recorded, reply('"0x1"'))).toBe("passed");
		expect(compare(recorded, reply('"0x2"'))).toBe('result: "0x1" "0x2"');
	});

	it("do not compare the client's version", () => {
		const recorded = line("jsonrpc", reply("null"), { ...RPC, body: call("web3_clientVersion") });
		expect(compare(recorded, reply('"coin"'))).toBe("passed");
	});

	it("apply the rules of each call of a batch", () => {
		const body = `[${call("web3_clientVersion", 1)},${call("eth_blockNumber", 2)}]`;
		const recorded = line("jsonrpc", `[${reply("null", 1)},${reply('"0x1"', 2)}]`, { ...RPC, body });
		expect(compare(recorded, `[${reply('"x"', 1)},${reply('"0x1"', 2)}]`)).toBe("passed");
		expect(compare(recorded, `[${reply('"x"', 1)},${reply('"0x2"', 2)}]`)).toBe('[1].result: "0x1" "0x2"');
		expect(compare(recorded, `[${reply('"x"', 1)}]`)).toMatch(/^\[1\]: .* \(nothing\)$/);
	});

	it("compare the class of runtime errors and not their text", () => {
		const error = (type: string, text: string) =>
			`{"id":1,"error":{"code":-32001,"message":"${text}","data":{"exceptionTypeName":"${type}","message":"${text}"}}}`;
		const recorded = line("jsonrpc", error("java.lang.NullPointerException", "a"), {
			...RPC,
			body: call("eth_call"),
		});
		expect(compare(recorded, error("java.lang.NullPointerException", "b"))).toBe("passed");
		expect(compare(recorded, error("java.lang.RuntimeException", "a"))).toMatch(/exceptionTypeName/);
		const other = line("jsonrpc", error("java.lang.RuntimeException", "a"), {
			...RPC,
			body: call("eth_call"),
		});
		expect(compare(other, error("java.lang.RuntimeException", "b"))).toMatch(/^error\.message/);
	});

	it("remember the ids of filters, and later requests carry ours", () => {
		const ids: Ids = new Map();
		const created = line("jsonrpc", reply('"0xaa"'), { ...RPC, body: call("eth_newFilter") });
		expect(compare(created, reply('"0xbb"'), {}, ids)).toBe("passed");
		const poll = line("jsonrpc", "", { ...RPC, body: '{"method":"eth_getFilterChanges","params":["0xaa"]}' });
		expect(toRequest(poll, ids).body).toContain('["0xbb"]');
	});

	it("report a filter that was refused", () => {
		const created = line("jsonrpc", reply('"0xaa"'), { ...RPC, body: call("eth_newFilter") });
		expect(compare(created, '{"jsonrpc":"2.0","id":1,"error":{}}')).toMatch(
			/^result: "0xaa" \(nothing\); error/,
		);
	});
});

describe("requests", () => {
	it.each<[string, Partial<RequestLine>, object]>([
		["the usual content type", {}, { "content-type": "application/json" }],
		["another content type", { reqType: "text/plain" }, { "content-type": "text/plain" }],
		["no content type", { reqType: "" }, {}],
		["an Accept header", { accept: "*/*" }, { "content-type": "application/json", accept: "*/*" }],
	])("carry %s", (_, more, headers) => {
		expect(toRequest(line("wallet/x", "", more), new Map()).headers).toEqual(headers);
	});

	it("without a body carry no content type", () => {
		const { body: _, ...get } = line("wallet/x?a=1", "", { verb: "GET" });
		expect(toRequest(get, new Map())).toEqual({
			port: "full",
			verb: "GET",
			path: "/wallet/x?a=1",
			body: undefined,
			headers: {},
		});
	});

	it("of a given length have a body of that length", () => {
		const { body } = toRequest(line("wallet/x", "", { bodyOf: { length: 100 } }), new Map());
		expect(body).toMatch(/^\{"x":"a+"\}$/);
		expect(body).toHaveLength(100);
	});
});

describe("the clock of a request", () => {
	it.each<[string, bigint | undefined]>([
		['{"raw_data":{"contract":[],"timestamp":1748736000123}}', 1748736000123n],
		['{"transaction":{"raw_data":{"contract":[],"timestamp":7}}}', 7n],
		['{"block_header":{"raw_data":{"timestamp":7}}}', undefined],
		['{"raw_data":{"contract":[]}}', undefined],
		["nothing", undefined],
	])("of %s is %s", (answer, expected) => {
		expect(clockOf(answer)).toBe(expected);
	});
});
