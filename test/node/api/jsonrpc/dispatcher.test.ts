import { describe, expect, test } from "vitest";
import { text } from "../../../../src/node/api/jsonrpc/declared-types.js";
import { Dispatcher } from "../../../../src/node/api/jsonrpc/dispatcher.js";
import {
	defineMethod,
	JsonParts,
	JsonText,
	type RpcContext,
	type RpcMethod,
} from "../../../../src/node/api/jsonrpc/method.js";
import { invalidParams, ResponseTooLong, RpcError } from "../../../../src/node/api/jsonrpc/rpc-error.js";
import type { Release } from "../../../../src/node/rules/release.js";
import type { Dialect } from "../../../../src/protocol/dialect.js";
import { NamedError, nullPointer } from "../../../../src/protocol/json/exceptions.js";
import { threadMs } from "../../../processor-time.js";

const fail = (name: string, error: Error): RpcMethod =>
	defineMethod({
		name,
		about: "",
		parameters: [],
		handle: () => {
			throw error;
		},
	});

const METHODS: readonly RpcMethod[] = [
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
	fail("long", new ResponseTooLong(1_000_000)),
	fail("bug", new TypeError("x is not a function")),
];

interface Run {
	readonly answer: string;
	readonly line: string;
	readonly reported: unknown[];
}

interface Limits {
	readonly release?: Release;
	readonly maxBatchSize?: number;
	readonly maxResponseSize?: number;
}

async function run(
	request: string,
	dialect: Dialect = "deployed",
	{ release = "4.8.1", maxBatchSize = 0, maxResponseSize = 1_000_000 }: Limits = {},
): Promise<Run> {
	const reported: unknown[] = [];
	const context = {
		style: { visible: false, dialect },
		node: { config: { node: { release } }, report: (error: unknown) => void reported.push(error) },
	} as unknown as RpcContext;
	const dispatcher = new Dispatcher({
		methods: new Map(METHODS.map((method) => [method.name, method])),
		context: () => context,
		release,
		maxBatchSize,
		maxResponseSize,
	});
	const answer = await dispatcher.answer(request);
	return { answer, line: String(await dispatcher.answerLine(request)), reported };
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
		expect((await run(calls(2), "deployed", { maxBatchSize: 2 })).answer).toBe(`[${OK},${OK}]`);
		expect((await run(calls(3), "deployed", { maxBatchSize: 2 })).answer).toBe(
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
		expect(reported).toContainEqual(new TypeError("x is not a function"));
	});
});

describe("the bounds of a request", () => {
	const call = '{"id":1,"method":"chain"}';
	const exceeded = (count: number, limit: number): string =>
		`{"jsonrpc":"2.0","id":"null","error":{"code":-32005,"message":"Batch size ${count} exceeds the limit of ${limit}","data":"{}"}}`;

	test("count the calls of batches within a batch", async () => {
		const two = `[${call},${call}]`;
		expect((await run(`[${two},${two}]`, "deployed", { maxBatchSize: 4 })).answer).toBe(
			`[[${OK},${OK}],[${OK},${OK}]]`,
		);
		expect((await run(`[${two},${two},${call}]`, "deployed", { maxBatchSize: 4 })).answer).toBe(
			exceeded(5, 4),
		);
		const deep = `${"[".repeat(300)}${call},${call}${"]".repeat(300)}`;
		expect((await run(deep, "deployed", { maxBatchSize: 1 })).answer).toBe(exceeded(2, 1));
	});

	test("hold for the whole answer", async () => {
		const long = `{"id":1,"method":"echo","params":["${"x".repeat(300_000)}","y"]}`;
		expect((await run(`[${long},${long}]`)).answer).toHaveLength(2 * 300_042 + 3);
		const refused = (id: string): string =>
			`{"jsonrpc":"2.0","id":${id},"error":{"code":-32003,"message":"Response exceeds the limit of 1000000 bytes","data":"{}"}}`;
		expect((await run(`[[${long},${long}],[${long},${long}]]`)).answer).toBe(refused('"null"'));
		const single = `{"id":1,"method":"echo","params":["${"x".repeat(1_000_000)}","y"]}`;
		expect((await run(single)).answer).toBe(refused("1"));
	});

	test.each([
		["an id", `{"id":${"9".repeat(4_000_000)},"method":"chain"}`],
		["a parameter", `{"id":1,"method":"echo","params":[${"9".repeat(4_000_000)},1]}`],
	])("refuse %s of four million digits at once", async (_name, text) => {
		const before = threadMs();
		expect((await run(text)).answer).toBe(PARSE);
		expect(threadMs() - before).toBeLessThan(1_500);
	});
});

describe("from release 4.8.2 on", () => {
	const later: Limits = { release: "4.8.2" };
	const serverError = (code: number, message: string, id = "null"): string =>
		`{"jsonrpc":"2.0","error":{"code":${code},"message":"${message}"},"id":${id}}`;
	const BROKEN = serverError(-32700, "JSON parse error");
	const NO_CALL = serverError(-32600, "Invalid Request");
	const FAULT = `[${serverError(-32603, "Internal error")}]`;
	const overflow = (id: string): string => serverError(-32003, "Response exceeds the limit of 100 bytes", id);

	test.each<[string, string]>([
		["", BROKEN],
		["[", BROKEN],
		["{'id':1}", BROKEN],
		["null", NO_CALL],
		["5", NO_CALL],
		['"x"', NO_CALL],
		["[]", NO_CALL],
		["[[]]", `[${NO_CALL}]`],
		["[1,null]", `[${NO_CALL},${NO_CALL}]`],
		["{}", error("null", -32601, "method not found")],
		["[{}]", `[${error("null", -32601, "method not found")}]`],
		['{"id":1,"method":"chain"} x', OK],
		['{"method":"chain"}', ""],
		['{"id":null,"method":"chain"}', ""],
		['{"id":{},"method":"chain"}', ""],
		['{"id":1,"method":"chain","params":"x"}', ""],
		['[{"method":"chain"}]', ""],
		[
			'[{"method":"chain"},{"id":1,"method":"chain"},{"method":"nosuch"}]',
			`[${OK},${error("null", -32601, "method not found")}]`,
		],
		['[{"id":1,"method":"chain"},{"id":[],"method":"chain"}]', FAULT],
		['[{"id":1,"method":"chain","params":"x"}]', FAULT],
		['[{"id":1,"method":"echo","params":[{},"b"]}]', `[${PARSE}]`],
	])("%s", async (request, answer) => {
		expect((await run(request, "deployed", later)).answer).toBe(answer);
	});

	test.each<[string, boolean]>([
		['{"id":1,"method":"chain"}', true],
		['{"id":1,"method":"refused"}', true],
		['{"id":1,"method":"echo","params":[{},"b"]}', true],
		['[{"id":1,"method":"chain"}]', false],
		["5", false],
		["", false],
		['{"method":"chain"}', false],
	])("%s has a line end: %s", async (request, isLine) => {
		const { answer, line } = await run(request, "deployed", later);
		expect(line).toBe(isLine ? `${answer}\n` : answer);
	});

	test.each([100, 101])("a batch of %s calls is measured by its limit of 100", async (count) => {
		const calls = `[${Array(count).fill('{"id":1,"method":"chain"}').join(",")}]`;
		const { answer } = await run(calls, "deployed", { ...later, maxBatchSize: 100 });
		expect(answer).toBe(
			count === 100
				? `[${Array(100).fill(OK).join(",")}]`
				: `[${serverError(-32005, "Batch size 101 exceeds the limit of 100")}]`,
		);
	});

	const echo = (id: string, length: number): string =>
		`{"id":${id},"method":"echo","params":["${"x".repeat(length)}",null]}`;
	const echoed = (id: string, length: number): string =>
		`{"jsonrpc":"2.0","id":${id},"result":["${"x".repeat(length)}",null]}`;

	test("an answer that is too long is refused under its id", async () => {
		const fits = 100 - echoed("1", 0).length;
		const limits = { ...later, maxResponseSize: 100 };
		expect((await run(echo("1", fits), "deployed", limits)).answer).toBe(echoed("1", fits));
		expect((await run(echo("1", fits + 1), "deployed", limits)).answer).toBe(overflow("1"));
		expect((await run(echo('"é"', fits - 2), "deployed", limits)).answer).toBe(overflow('"é"'));
		expect((await run(echo("null", fits + 9), "deployed", limits)).answer).toBe("");
		expect((await run(echo("1", 500), "deployed", { ...later, maxResponseSize: 0 })).answer).toBe(
			echoed("1", 500),
		);
		expect((await run('{"id":7,"method":"long"}', "deployed", later)).answer).toBe(
			serverError(-32003, "Response exceeds the limit of 1000000 bytes", "7"),
		);
	});

	test("in a batch nothing is answered behind the one that was too long, but with its refusal", async () => {
		const room = 100 - 2 - `${OK},`.length - `${echoed("2", 0)},`.length;
		const batch = (length: number): string =>
			`[{"id":1,"method":"chain"},${echo("2", length)},{"method":"chain"},5,{"id":3,"method":"chain"}]`;
		const limits = { ...later, maxResponseSize: 100 };
		const [fitting, exceeding] = [
			await run(batch(room), "deployed", limits),
			await run(batch(room + 1), "deployed", limits),
		];
		expect(fitting.answer).toBe(`[${OK},${echoed("2", room)},${NO_CALL},${overflow("3")}]`);
		expect(exceeding.answer).toBe(`[${OK},${overflow("2")},${NO_CALL},${overflow("3")}]`);
	});

	test("a notification whose result is too long takes no answer from the calls behind it", async () => {
		const { answer } = await run('[{"method":"long"},{"id":1,"method":"chain"}]', "deployed", later);
		expect(answer).toBe(`[${OK}]`);
	});

	test.each<Release>(["4.8.1", "4.8.2"])(
		"a batch of %s keeps long results as the bytes that they are, and gathers short ones to bytes",
		async (release) => {
			const long = Buffer.from(`"${"é".repeat(10)}"`);
			const kept = new JsonParts([long]);
			const methods = new Map([
				["parts", defineMethod({ name: "parts", about: "", parameters: [], handle: () => kept })],
				["text", defineMethod({ name: "text", about: "", parameters: [], handle: () => "x".repeat(70_000) })],
			]);
			const calls = `[{"id":1,"method":"parts"},{"id":2,"method":"text"},{"id":3,"method":"parts"}]`;
			const expected = `[{"jsonrpc":"2.0","id":1,"result":${long}},{"jsonrpc":"2.0","id":2,"result":"${"x".repeat(70_000)}"},{"jsonrpc":"2.0","id":3,"result":${long}}]`;
			const context = () => ({ style: {}, node: { config: { node: {} } } }) as unknown as RpcContext;
			const answers = (maxResponseSize: number) =>
				new Dispatcher({ methods, context, release, maxBatchSize: 0, maxResponseSize });
			// The last answer, too, counts with a comma.
			const answer = await answers(Buffer.byteLength(expected) + 1).answerLine(calls);
			if (!(answer instanceof JsonParts)) throw new Error("it is one text");
			expect(answer.toString().trimEnd()).toBe(expected);
			expect(answer.parts.filter((part) => part === long)).toHaveLength(2);
			expect(answer.parts.every((part) => part === long || part.length < 71_000)).toBe(true);
			const shorter = await answers(Buffer.byteLength(expected) - 2).answerLine(calls);
			expect(String(shorter).slice(-100)).toContain('"code":-32003');
		},
	);

	test.each([20, 21])("%s levels of brackets are read, if not more than 20", async (levels) => {
		const nested = `{"id":1,"method":"chain","x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
		expect((await run(nested, "deployed", later)).answer).toBe(
			levels === 20
				? OK
				: serverError(
						-32700,
						"Document nesting depth (21) exceeds the maximum allowed (20, from `StreamReadConstraints.getMaxNestingDepth()`)",
					),
		);
	});

	test("a hundred thousand tokens are read, and not one more", async () => {
		// Three members and the brackets take nine.
		const request = (values: number): string =>
			`{"id":1,"method":"chain","x":[${Array(values).fill("0").join(",")}]}`;
		expect((await run(request(99_991), "deployed", later)).answer).toBe(OK);
		expect((await run(request(99_992), "deployed", later)).answer).toBe(
			serverError(
				-32700,
				"Token count (100001) exceeds the maximum allowed (100000, from `StreamReadConstraints.getMaxTokenCount()`)",
			),
		);
	});

	test.each<[string, Dialect, string]>([
		["null", "deployed", '"message":null,"data":"java.lang.NullPointerException"'],
		["decoder", "deployed", '"message":"bad","data":"org.bouncycastle.util.encoders.DecoderException"'],
		["null", "neutral", '"message":null,"data":"NullPointerException"'],
	])("an undeclared error says its class: %s, %s", async (method, dialect, part) => {
		const { answer } = await run(`{"id":1,"method":"${method}"}`, dialect, later);
		expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,${part}}}`);
	});
});
