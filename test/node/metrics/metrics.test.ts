import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpNode, KEYS, POOR_HEX, RICH_HEX, signed, startHttpNode } from "../api/http-node.js";

let node: HttpNode;
/** A page is kept for a second. */
let nowMs = 0;
beforeAll(async () => {
	node = await startHttpNode(
		`node.metricsEnable = true
		vm.supportConstant = true
		committee.allowCreationOfContracts = 1
		node.history.index = on
		node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }
		node.metrics.prometheus { enable = true, port = 0 }`,
		undefined,
		{ monotonicClock: () => nowMs },
	);
});
afterAll(() => node.close());

const page = async (path = "/metrics", accept = "*/*") => {
	nowMs += 1_000;
	const answer = await fetch(`http://127.0.0.1:${node.ports.metrics}${path}`, { headers: { accept } });
	return { type: answer.headers.get("content-type"), text: await answer.text() };
};

/** The value of a series. */
const value = async (series: string): Promise<number | undefined> => {
	const line = (await page()).text.split("\n").find((text) => text.startsWith(`${series} `));
	return line === undefined ? undefined : Number(line.slice(series.length));
};

describe("the metrics of a node", () => {
	it("name the families of the network, with or without series", async () => {
		const { text } = await page();
		for (const line of [
			"# HELP tron:header_height header  height .",
			"# TYPE tron:txs_total counter",
			"# TYPE tron:http_service_latency_seconds histogram",
			"# TYPE tron:peers gauge",
			"# TYPE process_resident_memory_bytes gauge",
			"# TYPE system_available_cpus gauge",
		]) {
			expect(text).toContain(line);
		}
	});

	it("have every name of the recorded page but those of the reference's runtime", async () => {
		const namesIn = (text: string): string[] =>
			[...text.matchAll(/^# TYPE (\S+)/gm)]
				.map(([, name = ""]) => name)
				.filter((name) => !/^jvm_|_created$/.test(name));
		const recorded = readFileSync("test/node/metrics/recorded-families.txt", "utf8");
		const own = new Set(namesIn((await page()).text));
		expect(namesIn(recorded).filter((name) => !own.has(name))).toEqual([]);
	});

	it("show the history where there is one", async () => {
		expect(await value("tron:history_database_up")).toBe(1);
		for (const name of ["blocks_behind", "blocks_missing", "bytes"])
			expect(await value(`tron:history_${name}`)).toBe(0);
	});

	it("show the head and the pool as they are", async () => {
		expect(await value("tron:header_height")).toBe(0);
		expect(await value("tron:header_time")).toBe(1_700_000_001_000);
		const built = await node.post("/wallet/createtransaction", {
			owner_address: RICH_HEX,
			to_address: POOR_HEX,
			amount: 1,
		});
		await node.post("/wallet/broadcasttransaction", signed(built.json, KEYS[0]));
		expect(await value('tron:manager_queue_size{type="pending"}')).toBe(1);
		for (const series of [
			'tron:process_transaction_latency_seconds_count{type="trx",contract="TransferContract"}',
			'tron:internal_service_latency_seconds_count{class="Wallet",method="broadcastTransaction"}',
		]) {
			expect(await value(series), series).toBe(1);
		}
		expect(await value('tron:verify_sign_latency_seconds_count{type="trx"}')).toBeUndefined();
		const created =
			'tron:process_transaction_latency_seconds_created{type="trx",contract="TransferContract"}';
		expect(await value(created)).toBeGreaterThan(1.7e9);
		expect(await value('tron:manager_queue_size{type="queued"}')).toBe(0);
		expect(await value('tron:tx_cache{type="fpp"}')).toBe(0);
	});

	it("show how often the cache of each store was asked, and how often it knew", async () => {
		await node.post("/wallet/getaccount", { address: RICH_HEX });
		expect(await value('tron:guava_cache_request{type="account"}')).toBeGreaterThan(0);
		const rate = await value('tron:guava_cache_hit_rate{type="account"}');
		expect(rate).toBeGreaterThanOrEqual(0);
		expect(rate).toBeLessThanOrEqual(1);
	});

	it("count answers by path, and bytes by status", async () => {
		await node.ask("/wallet/getreward");
		await node.ask("/wallet/getReward");
		await node.ask("/walletsolidity/getReward", { server: "solidity" });
		expect(await value('tron:http_service_latency_seconds_count{url="/wallet/getReward"}')).toBe(1);
		expect(await value('tron:http_bytes_sum{url="/wallet/getReward",status="200"}')).toBe(14);
		expect(await value('tron:http_service_latency_seconds_count{url="/walletsolidity/getReward"}')).toBe(1);
		expect(
			await value('tron:http_bytes_count{url="/walletsolidity/getReward",status="200"}'),
		).toBeUndefined();
		expect(await value('tron:http_bytes_count{url="undefined",status="404"}')).toBe(1);
		expect(await value('tron:http_service_latency_seconds_count{url="/wallet/getreward"}')).toBeUndefined();
	});

	it("count the work behind requests, not requests that can't be read", async () => {
		const work = (method: string, of = "Wallet") =>
			value(`tron:internal_service_latency_seconds_count{class="${of}",method="${method}"}`);
		const before = (await work("getAccount")) ?? 0;
		await node.post("/wallet/getaccount", { address: "zz" });
		expect((await work("getAccount")) ?? 0).toBe(before);
		await node.post("/wallet/getaccount", { address: RICH_HEX });
		await node.ask(`/walletsolidity/getaccount?address=${RICH_HEX}`, { server: "solidity" });
		expect(await work("getAccount")).toBe(before + 2);
		const created = (await work("createTransactionCapsule")) ?? 0;
		await node.post("/wallet/triggerconstantcontract", { owner_address: RICH_HEX, data: "00" });
		expect(await work("createTransactionCapsule")).toBe(created + 1);
		expect(await work("triggerConstantContract")).toBe(1);
	});

	it("count calls of JSON-RPC with their work, and refused ones as none", async () => {
		const call = (method: string, ...params: unknown[]) =>
			node.ask("/jsonrpc", {
				server: "jsonrpc",
				body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
			});
		const count = (method: string) => value(`tron:jsonrpc_service_latency_seconds_count{method="${method}"}`);
		const work = (method: string) =>
			value(`tron:internal_service_latency_seconds_count{class="Wallet",method="${method}"}`);
		const { text } = await call("eth_getBalance", "zz", "latest");
		expect(text).toContain("-32602");
		expect(await count("eth_getBalance")).toBe(0);
		await call("eth_getBalance", RICH_HEX, "latest");
		await call("eth_getBalance", "zz", "latest");
		expect(await count("eth_getBalance")).toBe(1);
		await call("eth_nothing");
		expect(await count("eth_nothing")).toBeUndefined();
		await call("eth_blockNumber");
		expect(await work("getNowBlock")).toBe(1);
		await call("net_version");
		expect(await work("getBlockCapsuleByNum")).toBe(1);
	});

	it("count refused transactions by their reason", async () => {
		const built = await node.post("/wallet/createtransaction", {
			owner_address: RICH_HEX,
			to_address: POOR_HEX,
			amount: 2,
		});
		await node.post("/wallet/broadcasttransaction", signed(built.json, KEYS[1]));
		expect(await value('tron:txs_total{type="fail",detail="sig"}')).toBe(1);
	});

	it("come in the newer format to who asks for it, and only as far as wanted", async () => {
		const open = await page("/", "application/openmetrics-text; version=1.0.0");
		expect(open.type).toContain("application/openmetrics-text");
		expect(open.text).toContain("# TYPE tron:txs counter\n");
		expect(open.text).toMatch(/^tron:txs_total\{.*\} 1$/m);
		expect(open.text.endsWith("\n# EOF\n")).toBe(true);
		expect((await page("/?name[]=tron:header_height")).text).toBe(
			"# HELP tron:header_height header  height .\n# TYPE tron:header_height gauge\ntron:header_height 0\n",
		);
		expect((await page()).text).toContain("# TYPE tron:txs_total counter");
		expect((await page("/-/healthy")).text).toBe("Exporter is Healthy.");
	});

	it("are in the older meters too", async () => {
		const { json } = await node.ask("/monitor/getstatsinfo");
		const { api } = json["net"] as { api: { qps: { count: number }; detail: { name: string }[] } };
		expect(api.qps.count).toBeGreaterThan(3);
		expect(api.detail.map(({ name }) => name)).toContain("/wallet/getReward");
	});
});
