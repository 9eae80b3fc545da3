import { describe, expect, it } from "vitest";
import { Meter, Meters } from "../../../src/node/metrics/meters.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../src/protocol/messages.js";

describe("a meter", () => {
	it("counts, and knows the mean of all time", () => {
		let now = 0;
		const meter = new Meter(() => now);
		meter.mark(3);
		now = 2_000;
		meter.mark();
		expect(meter.rate).toEqual({ count: 4, mean: 2, oneMinute: 0, fiveMinutes: 0, fifteenMinutes: 0 });
	});

	it("averages over the last minutes, the shorter ones forgetting faster", () => {
		let now = 0;
		const meter = new Meter(() => now);
		meter.mark(50);
		now = 5_000;
		expect(meter.rate).toMatchObject({ oneMinute: 10, fiveMinutes: 10, fifteenMinutes: 10 });
		now = 65_000;
		const { oneMinute, fiveMinutes, fifteenMinutes } = meter.rate;
		expect(oneMinute).toBeCloseTo(10 / Math.E, 3);
		expect(fiveMinutes).toBeCloseTo(10 * Math.exp(-1 / 5), 3);
		expect(fifteenMinutes).toBeCloseTo(10 * Math.exp(-1 / 15), 3);
		now = 1e9;
		expect(meter.rate.fifteenMinutes).toBeLessThan(0.001);
	});
});

describe("the meters of the API", () => {
	it("count failed requests in the sums only, calls of gRPC without bytes, and no server but the full ones", () => {
		const meters = new Meters(() => 0);
		const path = "/wallet/getaccount";
		meters.answered({ server: "full", path, status: 200, bytes: 10, ms: 1 });
		meters.answered({ server: "full", path: undefined, status: 405, bytes: 400, ms: 1 });
		meters.answered({
			server: "solidity",
			path: "/walletsolidity/getaccount",
			status: 200,
			bytes: 10,
			ms: 1,
		});
		meters.answered({ server: "jsonrpc solidity", path: "/jsonrpc", status: 200, bytes: 10, ms: 1 });
		meters.answered({ server: "jsonrpc full", path: "/jsonrpc", status: 200, bytes: 5, ms: 1 });
		meters.called("protocol.Wallet/GetAccount");
		const { api, apiDetail } = meters.values;
		expect([api.calls.count, api.failures?.count, api.sentBytes?.count]).toEqual([4, 1, 15]);
		expect(apiDetail.map((row) => [row.name, row.calls.count, row.failures, row.sentBytes?.count])).toEqual([
			["/jsonrpc", 1, undefined, 5],
			[path, 1, undefined, 10],
			["protocol.Wallet/GetAccount", 1, undefined, undefined],
		]);
	});
});

describe("the meters of blocks", () => {
	const blockOf = (witness: number, version: number) => ({
		witness: Uint8Array.of(0x41, witness),
		message: Block.create({
			block_header: BlockHeader.create({ raw_data: BlockHeaderRaw.create({ version }) }),
		}),
	});

	it("keep the version and the delays of each witness", () => {
		const meters = new Meters(() => 0);
		meters.blockReceived(5000);
		meters.blockJudged(blockOf(1, 31), 40);
		meters.blockJudged(blockOf(2, 32), 2500);
		meters.blockJudged(blockOf(1, 32), 1500);
		const { latency, witnessVersions, witnessLatency } = meters.values;
		expect(latency).toMatchObject({ count: 1, top99: 5000 });
		expect(witnessVersions).toEqual([
			{ address: "4101", version: 32 },
			{ address: "4102", version: 32 },
		]);
		expect(witnessLatency).toEqual([
			{ witness: "4101", count: 2, top75: 1500, top95: 1500, top99: 1500, over: [1, 0, 0] },
			{ witness: "4102", count: 1, top75: 2500, top95: 2500, top99: 2500, over: [1, 1, 0] },
		]);
	});

	it("keep the last block that a rule refused, and count changes of branch that failed among all", () => {
		const meters = new Meters(() => 0);
		expect(meters.values.failedBlock).toEqual({ number: 0n, reason: "" });
		meters.blockRefused(7n, "no");
		meters.reorg();
		meters.reorgFailed();
		expect(meters.values).toMatchObject({
			failedBlock: { number: 7n, reason: "no" },
			forks: 2,
			failedForks: 1,
		});
	});
});
