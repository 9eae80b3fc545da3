import { describe, expect, test } from "vitest";
import { text } from "../../../../src/node/api/jsonrpc/declared-types.js";
import { Dispatcher } from "../../../../src/node/api/jsonrpc/dispatcher.js";
import {
	defineMethod,
	JsonText,
	type Method,
	type RpcContext,
} from "../../../../src/node/api/jsonrpc/method.js";
import { invalidParams, RpcError } from "../../../../src/node/api/jsonrpc/rpc-error.js";
import type { Dialect } from "../../../../src/protocol/dialect.js";
import { NamedError, nullPointer } from "../../../../src/protocol/json/exceptions.js";

const fail = (name: string, error: Error): Method =>
	defineMethod({
		name,
		about: "",
		parameters: [],
		handle: () => {
			throw error;
		},
	});

const METHODS: readonly Method[] = [
	defineMethod({ name: "chain", about: "", parameters: [], handle: () => "0x1" }),
	defineMethod({ name: "none", about: "", parameters: [], handle: () => null }),
	defineMethod({ name: "later", about: "", parameters: [], handle: async () => ["a"] }),
	defineMethod({ name: "raw", about: "", parameters: [], handle: () => new JsonText('{"a":1}') }),
	defineMethod({
		name: "echo",
		about: "",
		parameters: [
			["a", text],
			["b", text],
		],
		handle: (_context, a, b) => [a, b],
	}),
	fail("refused", invalidParams("not this")),
	fail("silent", new RpcError(-32000, "")),
	fail("null", nullPointer()),
	fail("decoder", new NamedError("DecoderException", "bad")),
	fail("bug", new TypeError("x is not a function")),
];

interface Run {
	answer: string;
	readonly reported: unknown[];
}

async function run(request: string, dialect: Dialect = "deployed", maxBatchSize = 0): Promise<Run> {
	const reported: unknown[] = [];
	const context = {
		style: { visible: false, dialect },
		node: { report: (error: unknown) => void reported.push(error) },
	} as unknown as RpcContext;
	const dispatcher = new Dispatcher({
		methods: new Map(METHODS.map((method) => [method.name, method])),
		context: () => context,
		maxBatchSize,
		maxResponseSize: 1_000_000,
	});
	return { answer: await dispatcher.answer(request), reported };
}

const PARSE = '{"jsonrpc":"2.0","id":"null","error":{"code":-32700,"message":"JSON parse error"}}';
const INVALID = '{"jsonrpc":"2.0","id":"null","error":{"code":-32600,"message":"invalid request"}}';
const error = (id: string, code: number, message: string): string =>
	`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;
const OK = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

describe("a request", () => {
	test.each<[string, string]>([
		['{"jsonrpc":"2.0","id":1,"method":"chain","params":[]}', OK],
		['{"id":1,"method":"chain"}', OK],
		['{"id":1,"method":"chain","params":null}', OK],
		['{"id":1,"method":"chain","params":{}}', OK],
		['{"id":1,"method":"chain","extra":[{}]}', OK],
		['{"id":1,"method":"chain"} trailing', OK],
		['{"jsonrpc":"1.0","id":1,"method":"chain"}', OK.replace("2.0", "1.0")],
		['{"jsonrpc":2,"id":1,"method":"chain"}', OK.replace("2.0", "2")],
		['{"jsonrpc":null,"id":1,"method":"chain"}', OK],
		['{"id":"a","method":"none"}', '{"jsonrpc":"2.0","id":"a","result":null}'],
		['{"id":1,"method":"later"}', '{"jsonrpc":"2.0","id":1,"result":["a"]}'],
		['{"id":1,"method":"raw"}', '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'],
		['{"id":1,"method":"echo","params":[5,null]}', '{"jsonrpc":"2.0","id":1,"result":["5",null]}'],
		["", PARSE],
		["[", PARSE],
		["null", INVALID],
		["5", INVALID],
		["{}", error("null", -32601, "method not found")],
		['{"id":1,"method":"CHAIN"}', error("1", -32601, "method not found")],
		['{"id":1,"method":null}', error("1", -32601, "method not found")],
		['{"id":1,"method":{}}', error("1", -32601, "method not found")],
		['{"id":1,"method":"nosuch","params":{"a":1}}', error("1", -32601, "method not found")],
		['{"id":1,"method":"chain","params":[1]}', error("1", -32602, "method parameters invalid")],
		['{"id":1,"method":"echo","params":["a"]}', error("1", -32602, "method parameters invalid")],
		['{"id":1,"method":"echo","params":{"a":"x","b":"y"}}', error("1", -32602, "method parameters invalid")],
		['{"id":1,"method":"echo","params":[{},"b"]}', PARSE],
	])("%s", async (request, answer) => {
		expect((await run(request)).answer).toBe(answer);
	});

	test.each<[string, string]>([
		["-5", "-5"],
		["9007199254740993", "9007199254740993"],
		["99999999999999999999", "1661992959"],
		["1.5", "1.5"],
		['""', '""'],
		['"é\\n"', '"é\\n"'],
	])("the id %s is answered as %s", async (id, answered) => {
		expect((await run(`{"id":${id},"method":"none"}`)).answer).toBe(
			`{"jsonrpc":"2.0","id":${answered},"result":null}`,
		);
	});

	test.each(["true", "{}", "[]"])("the id %s makes the whole answer empty", async (id) => {
		expect((await run(`{"id":${id},"method":"chain"}`)).answer).toBe("");
		expect((await run(`[{"id":${id},"method":"chain"}]`)).answer).toBe(`[${PARSE}]`);
	});

	test.each(['"x"', "5", "true"])("parameters %s make the whole answer empty", async (params) => {
		expect((await run(`{"id":1,"method":"chain","params":${params}}`)).answer).toBe("");
		expect((await run(`[{"id":1,"method":"chain","params":${params}}]`)).answer).toBe(`[${PARSE}]`);
	});

	test.each<[string, string]>([
		['{"method":"chain"}', ""],
		['{"id":null,"method":"chain"}', ""],
		['{"method":"nosuch"}', error("null", -32601, "method not found")],
		[
			'{"method":"refused"}',
			'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"not this","data":"{}"}}',
		],
	])("the notification %s is answered only if it fails", async (request, answer) => {
		expect((await run(request)).answer).toBe(answer);
	});
});

describe("a batch", () => {
	test.each<[string, string]>([
		["[]", "[]"],
		["[[]]", "[[]]"],
		["[1,null]", `[${INVALID},${INVALID}]`],
		[
			'[{"id":1,"method":"chain"},{"method":"chain"},[{"id":1,"method":"chain"}],{}]',
			`[${OK},null,[${OK}],${error("null", -32601, "method not found")}]`,
		],
	])("%s", async (request, answer) => {
		expect((await run(request)).answer).toBe(answer);
	});

	test("that is longer than the limit is refused as a whole", async () => {
		const calls = (count: number): string => `[${Array(count).fill('{"id":1,"method":"chain"}').join(",")}]`;
		expect((await run(calls(2), "deployed", 2)).answer).toBe(`[${OK},${OK}]`);
		expect((await run(calls(3), "deployed", 2)).answer).toBe(
			'{"jsonrpc":"2.0","id":"null","error":{"code":-32005,"message":"Batch size 3 exceeds the limit of 2","data":"{}"}}',
		);
	});
});

describe("an error of a method", () => {
	test.each<[string, Dialect, string]>([
		["refused", "deployed", '"code":-32602,"message":"not this","data":"{}"'],
		["silent", "deployed", '"code":-32000,"message":null,"data":"{}"'],
		[
			"null",
			"deployed",
			'"code":-32001,"message":null,"data":{"exceptionTypeName":"java.lang.NullPointerException","message":null}',
		],
		[
			"null",
			"neutral",
			'"code":-32001,"message":null,"data":{"exceptionTypeName":"NullPointerException","message":null}',
		],
		[
			"decoder",
			"deployed",
			'"code":-32001,"message":"bad","data":{"exceptionTypeName":"org.bouncycastle.util.encoders.DecoderException","message":"bad"}',
		],
	])("%s, %s", async (method, dialect, expected) => {
		const { answer, reported } = await run(`{"id":1,"method":"${method}"}`, dialect);
		expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"error":{${expected}}}`);
		expect(reported).toEqual([]);
	});

	test("that is a fault of the program is answered and reported", async () => {
		const { answer, reported } = await run('{"id":1,"method":"bug"}');
		expect(JSON.parse(answer)).toMatchObject({ id: 1, error: { code: -32001 } });
		expect(reported).toEqual([new TypeError("x is not a function")]);
	});
});

describe("the bounds of a request", () => {
	const call = '{"id":1,"method":"chain"}';
	const exceeded = (count: number, limit: number): string =>
		`{"jsonrpc":"2.0","id":"null","error":{"code":-32005,"message":"Batch size ${count} exceeds the limit of ${limit}","data":"{}"}}`;

	test("count the calls of batches within a batch", async () => {
		const two = `[${call},${call}]`;
		expect((await run(`[${two},${two}]`, "deployed", 4)).answer).toBe(`[[${OK},${OK}],[${OK},${OK}]]`);
		expect((await run(`[${two},${two},${call}]`, "deployed", 4)).answer).toBe(exceeded(5, 4));
		const deep = `${"[".repeat(300)}${call},${call}${"]".repeat(300)}`;
		expect((await run(deep, "deployed", 1)).answer).toBe(exceeded(2, 1));
	});

	test("hold for the whole answer", async () => {
		const long = `{"id":1,"method":"echo","params":["${"x".repeat(300_000)}","y"]}`;
		expect((await run(`[${long},${long}]`)).answer).toHaveLength(2 * 300_042 + 3);
		const refused =
			'{"jsonrpc":"2.0","id":"null","error":{"code":-32003,"message":"Response exceeds the limit of 1000000","data":"{}"}}';
		expect((await run(`[[${long},${long}],[${long},${long}]]`)).answer).toBe(refused);
		const single = `{"id":1,"method":"echo","params":["${"x".repeat(1_000_000)}","y"]}`;
		expect((await run(single)).answer).toBe(refused);
	});

	test.each([
		["an id", `{"id":${"9".repeat(4_000_000)},"method":"chain"}`],
		["a parameter", `{"id":1,"method":"echo","params":[${"9".repeat(4_000_000)},1]}`],
	])("refuse %s of four million digits at once", async (_name, text) => {
		const started = performance.now();
		expect((await run(text)).answer).toBe(PARSE);
		expect(performance.now() - started).toBeLessThan(500);
	});
});
