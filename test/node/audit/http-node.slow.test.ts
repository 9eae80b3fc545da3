/** How an audit asks other nodes, which may be busy, older, or hostile. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { touchedBy } from "../../../src/node/audit/audit.js";
import { compareFacts, factsOf, RECEIPT_RULES, STATE_RULES } from "../../../src/node/audit/facts.js";
import {
	HttpNode,
	type NodeAnswer,
	NotServedError,
	UnansweredError,
} from "../../../src/node/audit/http-node.js";

let server: Server | undefined;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

/** A node that answers as it is told, on a clock that its pauses move. */
async function nodeThat(
	answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
	timeoutMs = 5_000,
) {
	let count = 0;
	server = createServer((request, response) => answer(request, response, ++count));
	await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const pauses: number[] = [];
	let now = 0;
	const node = new HttpNode(
		{ full: `http://127.0.0.1:${port}` },
		{
			rate: 10,
			timeoutMs,
			now: () => now,
			sleep: async (ms) => {
				pauses.push(ms);
				now += ms;
			},
			signal: new AbortController().signal,
		},
	);
	return { node, pauses, asked: () => count };
}

describe("a node that is asked", () => {
	test("is given time where it is busy, as long as it says and no longer than a minute", async () => {
		const { node, pauses } = await nodeThat((_, response, count) => {
			if (count === 1) response.writeHead(429, { "retry-after": "7" }).end();
			else if (count === 2) response.writeHead(503, { "retry-after": "86400" }).end();
			else if (count === 3) response.destroy();
			else response.end('{"a":12345678901234567890}');
		});
		expect(await node.call("getnowblock", {}, "full")).toEqual({ a: 12345678901234567890n });
		expect(pauses.filter((ms) => ms > 100)).toEqual([7_000, 60_000, 4_000]);
		expect(node.busy).toBe(3);
	});

	test("is waited for also where the time-out is longer than timers can wait, which end at once then", async () => {
		const { node } = await nodeThat((_, response) => setTimeout(() => response.end("{}"), 100), 2 ** 32);
		expect(await node.call("getnowblock", {}, "full")).toEqual({});
		expect(node.busy).toBe(0);
	});

	test("is given up after some tries, and asked no more often than the rate", async () => {
		const { node, asked } = await nodeThat((_, response) => response.writeHead(503).end());
		await expect(node.call("getnowblock", {}, "full")).rejects.toThrow(UnansweredError);
		expect(asked()).toBe(8);
		const quick = await nodeThat((_, response) => response.end("{}"));
		for (let times = 0; times < 5; times++) await quick.node.call("getnowblock", {}, "solidity");
		expect(quick.pauses).toEqual([100, 100, 100, 100]);
	});

	test("may answer anything", async () => {
		const answers: Record<string, readonly [status: number, body: string | Buffer, error: unknown]> = {
			lacking: [404, "", NotServedError],
			refusing: [200, '{"Error":"class X : no"}', NotServedError],
			text: [200, "<html>", UnansweredError],
			deep: [200, "[".repeat(1_000_000), UnansweredError],
			digits: [200, `{"a":${"9".repeat(1_000)}}`, UnansweredError],
			moved: [302, "", UnansweredError],
			wide: [200, `[${"[],".repeat(20_000)}0]`, undefined],
			getaccount: [200, `[${"0,".repeat(1_000_000)}0]`, UnansweredError],
			long: [200, Buffer.alloc((64 << 10) + 1, " "), UnansweredError],
			gettransactioninfobyblocknum: [200, Buffer.alloc((32 << 20) + 1, " "), UnansweredError],
		};
		const { node } = await nodeThat(({ url = "" }, response) => {
			const [status, body] = answers[url.split(/[/?]/)[2] as string] as readonly [
				number,
				string | Buffer,
				unknown,
			];
			response.writeHead(status, status === 302 ? { location: "/wallet/text" } : {}).end(body);
		});
		for (const [name, [, , error]] of Object.entries(answers))
			if (error === undefined) await node.call(name, {}, "full");
			else
				await expect({ name, answer: node.call(name, {}, "full") }.answer, name).rejects.toThrow(
					error as typeof UnansweredError,
				);
		await expect(node.call("lacking", {}, "full", { number: 1n, id: "00" })).rejects.toThrow(NotServedError);
		await expect(node.rpc("eth_chainId", [])).rejects.toThrow(NotServedError);
	});
});

describe("answers", () => {
	const same = (a: Parameters<typeof factsOf>[0], b: Parameters<typeof factsOf>[0], rules = STATE_RULES) =>
		compareFacts(factsOf(a, rules), factsOf(b, rules), 10);

	test("are the same in another order, spelling and release", () => {
		expect(same({ a: 1n, tron_power: { x: "AB" } }, { coin_power: { x: "ab" }, a: 1n })).toEqual([]);
		expect(
			same(
				{
					assetV2: [
						{ key: "1", value: 5n },
						{ key: "2", value: 0n },
					],
				},
				{ assetV2: [{ key: "1", value: 5n }] },
			),
		).toEqual([]);
		expect(same({ asset_optimized: true, balance: 1n }, { balance: 1n })).toEqual([]);
		expect(same({ resMessage: "aa", fee: 1n }, { resMessage: "bb", fee: 1n }, RECEIPT_RULES)).toEqual([]);
		expect(same({ internal_transactions: [{ hash: "aa" }], fee: 1n }, { fee: 1n }, RECEIPT_RULES)).toEqual(
			[],
		);
	});

	test("differ in members, in what both keep, and in order", () => {
		expect(same({ balance: 1n }, { balance: 2n })).toEqual([{ what: "balance", ours: "1", theirs: "2" }]);
		expect(same({ votes: ["a", "b"] }, { votes: ["b", "a"] })).toHaveLength(2);
		expect(same({ fee: 3n }, {}, RECEIPT_RULES)).toEqual([{ what: "fee", ours: "3", theirs: "none" }]);
		expect(
			same(
				{ internal_transactions: [{ hash: "aa" }] },
				{ internal_transactions: [{ hash: "bb" }] },
				RECEIPT_RULES,
			),
		).toEqual([{ what: "internal_transactions[0].hash", ours: "aa", theirs: "bb" }]);
	});

	test("are listed no longer than a line", () => {
		expect(same({ data: "a".repeat(500) }, { data: "b".repeat(1_000_000) })).toEqual([
			{
				what: "data",
				ours: `${"a".repeat(300)}… (500 characters)`,
				theirs: `${"b".repeat(300)}… (1000000 characters)`,
			},
		]);
	});

	test("name whom a block touched", () => {
		const address = `41${"0a".repeat(20)}`;
		const subjects = touchedBy(
			{ transactions: [{ raw_data: { contract: [{ parameter: { value: { owner_address: address } } }] } }] },
			[{ log: [{ address: "0b".repeat(20) }], contract_address: `41${"0c".repeat(20)}` }],
		);
		expect(subjects.map(({ address: each, isContract }) => [each.slice(2, 4), isContract])).toEqual([
			["0a", false],
			["0b", true],
			["0c", true],
			["tn", false],
		]);
	});

	test("have keys of maps that are no texts", () => {
		const odd = { assetV2: [{ key: { toString: 1n }, value: 5n }, { key: null, value: 6n }, { value: 7n }] };
		expect(same(odd, {})).toEqual([
			{ what: "assetV2[?]", ours: "6", theirs: "none" },
			{ what: "assetV2[undefined]", ours: "7", theirs: "none" },
		]);
	});

	test("that hold too much end the comparison", () => {
		const many = Array.from({ length: 300_002 }, (_, at) => BigInt(at + 1));
		expect(() => factsOf(many, STATE_RULES)).toThrow("too much");
		const name = "n".repeat(200);
		expect(() => factsOf({ [`${name}n`]: 1n }, STATE_RULES)).toThrow("too much");
		expect(() => factsOf({ assetV2: [{ key: `${name}n`, value: 1n }] }, STATE_RULES)).toThrow("too much");
		const nested = Array.from({ length: 30 }).reduce<NodeAnswer>(
			(inner) => ({ [name]: inner }),
			many.slice(2),
		);
		expect(() => factsOf(nested, STATE_RULES)).toThrow("too much");
	});
});
