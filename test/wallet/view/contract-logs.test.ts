import { describe, expect, test } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { type ContractLog, pastLogs, USUAL_RANGE } from "../../../src/wallet/view/contract-logs.js";

type Range = readonly [from: bigint, to: bigint];

/** A server with one log in block 7 that refuses ranges as it is told to. */
function server(refuse: (range: Range) => string | undefined): { client: NodeClient; asked: Range[] } {
	const asked: Range[] = [];
	const send = async ({ body }: { readonly body: string }): Promise<object> => {
		const [{ fromBlock, toBlock }] = JSON.parse(body).params;
		const range = [BigInt(fromBlock), BigInt(toBlock)] as const;
		asked.push(range);
		const message = refuse(range);
		const log = {
			blockNumber: "0x7",
			transactionHash: `0x${"ab".repeat(32)}`,
			logIndex: "0x2",
			address: `0x${"11".repeat(20)}`,
			topics: [`0x${"22".repeat(32)}`],
			data: "0x",
		};
		const result = range[0] <= 7n && range[1] >= 7n ? [log] : [];
		const answer = message === undefined ? { result } : { error: { code: -32000, message } };
		return { status: 200, body: utf8(JSON.stringify(answer)) };
	};
	return { client: { send, settings: { jsonrpc: "http://node" } } as unknown as NodeClient, asked };
}

async function all(client: NodeClient, from: bigint, to: bigint): Promise<ContractLog[]> {
	const logs: ContractLog[] = [];
	for await (const log of pastLogs(client, { addresses: [], topics: [] }, from, to)) logs.push(log);
	return logs;
}

describe("the logs of past blocks", () => {
	test("are asked for in ranges that servers allow", async () => {
		const { client, asked } = server(() => undefined);
		expect(await all(client, 0n, 2n * USUAL_RANGE)).toEqual([
			{
				block: 7n,
				txID: "ab".repeat(32),
				logIndex: 2,
				address: fromHex("11".repeat(20)),
				topics: [fromHex("22".repeat(32))],
				data: fromHex(""),
				removed: false,
			},
		]);
		expect(asked).toEqual([
			[0n, USUAL_RANGE - 1n],
			[USUAL_RANGE, 2n * USUAL_RANGE - 1n],
			[2n * USUAL_RANGE, 2n * USUAL_RANGE],
		]);
	});

	test("are asked for again in the range that a refusal names", async () => {
		const { client, asked } = server(([from, to]) =>
			to - from > 3n ? "exceed max block range: 3" : undefined,
		);
		expect(await all(client, 0n, 9n)).toHaveLength(1);
		expect(asked).toEqual([
			[0n, 9n],
			[0n, 3n],
			[4n, 7n],
			[8n, 9n],
		]);
	});

	test("are asked for in halves where it names none, down to one block", async () => {
		const busy = server(([from, to]) => (to > from ? "query returned more than 10000 results" : undefined));
		expect(await all(busy.client, 6n, 9n)).toHaveLength(1);
		expect(busy.asked.slice(0, 3)).toEqual([
			[6n, 9n],
			[6n, 7n],
			[6n, 6n],
		]);
		const never = server(() => "query returned more than 10000 results");
		await expect(all(never.client, 6n, 9n)).rejects.toThrow(Failure);
		expect(never.asked).toHaveLength(3);
	});

	test("end with any other refusal", async () => {
		const { client, asked } = server(() => "not today");
		await expect(all(client, 0n, 9n)).rejects.toThrow("eth_getLogs: not today");
		expect(asked).toHaveLength(1);
	});
});
