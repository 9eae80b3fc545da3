import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DevelopmentNode, type Json, STORE, setArguments, word } from "./development-node.js";

let chain: DevelopmentNode;
beforeAll(async () => {
	chain = await DevelopmentNode.start({ "http-port": "0" });
});
afterAll(() => chain.stop());
beforeEach(() => chain.result("dev_reset"));

describe("the gateway", () => {
	it("serves every API on one port", async () => {
		expect(await (await chain.get("/healthcheck")).json()).toEqual({ ok: true });
		const page = await chain.get("/openapi.json");
		const document = (await page.json()) as { openapi: string; servers: { url: string }[] };
		expect(document.openapi).toBe("3.1.0");
		expect(document.servers.map(({ url }) => url)).toEqual([new URL(page.url).origin]);
		expect(await (await chain.get("/")).text()).toMatch(
			/off: shielded transactions.*allowShieldedTransaction=1.*allowNewResourceModel=1/,
		);
		for (const path of ["/wallet/getnowblock", "/walletsolidity/getnowblock", "/wallet/getnodeinfo"]) {
			const answer = await chain.get(path);
			expect(answer.status).toBe(200);
			expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		}
		// A call of nothing creates a contract; what it returns is the code.
		expect(
			await chain.rpc("eth_call", [{ data: "0x602a60005260206000f3" }, "latest"], "/jsonrpc"),
		).toMatchObject({
			result: `0x${"2a".padStart(64, "0")}`,
		});
		const number = { result: expect.stringMatching(/^0x/) };
		expect(await chain.rpc("eth_blockNumber", [], "/jsonrpc")).toMatchObject(number);
		expect(await chain.rpc("eth_blockNumber", [], "/")).toMatchObject(number);
		expect((await chain.get("/nothing")).status).toBe(404);
		expect(await (await chain.get("/")).text()).toContain("Development chain");
	});

	it.each([
		["//wallet/getnowblock", 200],
		["/wallet//getnowblock/", 200],
		["//", 200],
		["/%", 404],
		["http://[", 400],
	])("answers the target %s with %i", async (target, status) => {
		const answer = await new Promise<number | undefined>((resolve, reject) => {
			const options = { port: chain.ports.gateway, path: target, agent: false };
			request(options, (response) => resolve(response.resume().statusCode))
				.on("error", reject)
				.end();
		});
		expect(answer).toBe(status);
	});

	it("speaks the deployed spelling, the port of the full API that of the house", async () => {
		const names = async (port: number | undefined) => {
			const answer = await fetch(`http://127.0.0.1:${port}/wallet/getchainparameters`);
			return ((await answer.json()) as { chainParameter: { key: string }[] }).chainParameter.map(
				({ key }) => key,
			);
		};
		expect(await names(chain.ports.gateway)).toContain("getAllowTvmTransferTrc10");
		expect(await names(chain.ports.full)).toContain("getAllowTvmTransferOrc10");
	});

	it("serves development methods at its paths, and only there", async () => {
		expect(await chain.rpc("tre_mine", undefined, "/tre")).toMatchObject({ result: "0x0" });
		expect(await chain.rpc("tre_mine", undefined, "/jsonrpc")).toMatchObject({ result: "0x0" });
		const missing = { error: { code: -32601 } };
		expect(await chain.rpc("eth_chainId", [], "/tre")).toMatchObject(missing);
		const elsewhere = await fetch(`http://127.0.0.1:${chain.ports.full}/jsonrpc`, { method: "POST" });
		expect(elsewhere.status).toBe(405);
	});

	it("takes calls without id and params, and batches, on the paths of tools", async () => {
		expect(await chain.post("/tre", { method: "tre_mine" })).toEqual({
			jsonrpc: "2.0",
			id: null,
			result: "0x0",
		});
		const batch = [
			{ id: 1, method: "tre_version" },
			{ id: 2, method: "dev_nothing" },
		];
		expect(await chain.post("/dev", batch)).toMatchObject([
			{ id: 1, result: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
			{ id: 2, error: { message: "the method dev_nothing does not exist/is not available" } },
		]);
	});
});

describe("administration", () => {
	it("makes no further call of a batch once its answers are as long as an answer may be", async () => {
		const holder = `0x${"51".repeat(20)}`;
		await chain.result("anvil_setCode", [holder, `0x${"00".repeat(600_000)}`]);
		const calls = Array.from({ length: 50 }, (_, id) => ({ id, method: "eth_getCode", params: [holder] }));
		const answers = (await chain.post("/", [
			{ id: "own", method: "dev_info" },
			...calls,
		])) as unknown as Json[];
		expect(answers).toHaveLength(51);
		expect(JSON.stringify(answers).length).toBeLessThan(26 << 20);
		expect(answers[1]).toMatchObject({ id: 0, result: expect.stringMatching(/^0x0+$/) });
		expect(answers.at(-1)).toEqual({
			jsonrpc: "2.0",
			id: 49,
			error: { code: -32003, message: `Response exceeds the limit of ${25 << 20} bytes` },
		});
	});

	it("makes funded batches of accounts, the same on every run", async () => {
		const generate = "/admin/temporary-accounts-generation?accounts=3&defaultBalance=7";
		expect(await (await chain.get(generate)).text()).toMatch(/\n\(2\) T\w{33} \(7 TRX\)\n/);
		interface Listing {
			readonly privateKeys: string[];
			readonly more: { readonly privateKeys: string[]; readonly mnemonic: string }[];
		}
		const listing = async () => (await (await chain.get("/admin/accounts-json")).json()) as Listing;
		const { privateKeys, more } = await listing();
		expect(privateKeys).toHaveLength(10);
		expect(more.at(-1)?.privateKeys).toHaveLength(3);
		await chain.result("dev_reset");
		expect((await listing()).more).toEqual([]);
		await chain.get(generate);
		expect((await listing()).more).toEqual(more);
	});

	it("funds the accounts of the start again", async () => {
		const { address } = chain.account(1);
		await chain.result("dev_setBalance", [address, 5]);
		expect(await (await chain.get("/admin/accounts-generation")).text()).toBe("");
		expect(await chain.balance(address)).toBe(10_000_000_000);
	});

	it("lists accounts in the form that is asked for", async () => {
		const { address, hex } = chain.account(0);
		const listing = async (format: string) => (await chain.get(`/admin/accounts?format=${format}`)).text();
		expect(await listing("base58")).toContain(`(0) ${address} (10000 TRX)`);
		expect(await listing("hex")).toContain(`(0) ${hex} (10000 TRX)`);
		expect(await listing("all")).toContain(`(0) ${address} ${hex} (10000 TRX)`);
	});

	it("says what is in force, and takes log switches", async () => {
		expect(await (await chain.get("/admin")).text()).toContain("sealing: instant");
		expect(await (await chain.get("/admin/set-env?showBody=true")).text()).toBe(
			"Environment variable updated\n",
		);
	});

	it.each(["accounts=0", "accounts=1001", "accounts=many", "defaultBalance=-1"])(
		"refuses %s",
		async (query) => {
			expect((await chain.get(`/admin/temporary-accounts-generation?${query}`)).status).toBe(400);
		},
	);
});

describe("the console of contracts", () => {
	// log(uint256) of 42: PUSH4 selector PUSH1 e0 SHL PUSH1 0 MSTORE PUSH1 2a PUSH1 4 MSTORE; STATICCALL; STOP
	const WRITES = "0x63f82c50f160e01b600052602a6004526000600060246000" + "6a636f6e736f6c652e6c6f67" + "5afa00";
	const data = `f82c50f1${word(42)}`;
	const lines = () => chain.log.filter(([message]) => message === "console.log").map(([, fields]) => fields);

	it("is shown in answers and in the log", async () => {
		const { address } = chain.account(5);
		await chain.result("dev_setCode", [address, WRITES]);
		const call = { owner_address: chain.account(0).address, contract_address: address, visible: true };
		expect(await chain.post("/wallet/triggerconstantcontract", { ...call, data: "01" })).toMatchObject({
			internal_transactions: [{ data, transferTo_address: expect.any(String) }],
		});
		await expect.poll(lines).toEqual([{ contract: address, text: "42", call: "constant" }]);
		const sent = await chain.trigger(address, "go()", "");
		expect(sent).toMatchObject({
			result: true,
			internal_transactions: [{ data, transferTo_address: "41000000000000000000636f6e736f6c652e6c6f67" }],
		});
		expect(await chain.info(String(sent["txid"]))).toMatchObject({ internal_transactions: [{ data }] });
		await expect.poll(lines).toHaveLength(2);
		expect(lines()[1]).toEqual({ contract: address, text: "42", transaction: sent["txid"] });
	});

	it("is written once by a transaction that was tried and estimated before, and by what is only asked", async () => {
		const inputs: readonly object[] = [];
		const abi = [
			{ type: "Function", name: "go", inputs, stateMutability: "Nonpayable" },
			{ type: "Function", name: "look", inputs, stateMutability: "View" },
		];
		const code = WRITES.slice(2);
		const size = (code.length / 2).toString(16).padStart(2, "0");
		// Copies what stands behind itself, and returns it.
		const bytecode = `60${size}600c60003960${size}6000f3${code}`;
		const contract_address = await chain.deploy({ contractName: "Talks", abi, bytecode });
		const before = lines().length;
		const call = { owner_address: chain.account(0).address, contract_address, visible: true };
		const go = { ...call, function_selector: "go()" };
		for (const path of ["triggerconstantcontract", "estimateenergy", "estimateenergy"])
			expect(await chain.post(`/wallet/${path}`, go)).toMatchObject({ result: { result: true } });
		const sent = await chain.trigger(contract_address, "go()", "");
		const look = { ...call, function_selector: "look()", fee_limit: 1_000_000 };
		await chain.post("/wallet/triggerconstantcontract", look);
		const line = { contract: contract_address, text: "42" };
		await expect.poll(() => lines().slice(before)).toContainEqual({ ...line, call: "constant" });
		await expect.poll(() => lines().slice(before)).toContainEqual({ ...line, transaction: sent["txid"] });
		expect(lines().slice(before)).toHaveLength(2);
		// Of a contract whose interface nobody knows a fee limit says so.
		const { address } = chain.account(6);
		await chain.result("dev_setCode", [address, WRITES]);
		const unknown = { ...call, contract_address: address, data: "01" };
		await chain.post("/wallet/triggerconstantcontract", { ...unknown, fee_limit: 1_000_000 });
		await chain.post("/wallet/triggerconstantcontract", unknown);
		await expect
			.poll(() => lines().slice(before + 2))
			.toEqual([{ contract: address, text: "42", call: "constant" }]);
	});

	it("is silent when the log is switched off", async () => {
		const { address } = chain.account(5);
		await chain.result("dev_setCode", [address, WRITES]);
		const before = lines().length;
		await chain.result("anvil_setLoggingEnabled", [false]);
		await chain.trigger(address, "go()", "");
		await chain.result("dev_setLogging", [true]);
		await chain.trigger(address, "go()", "");
		await expect.poll(lines).toHaveLength(before + 1);
	});
});

describe("events over HTTP", () => {
	let store: string;
	beforeEach(async () => {
		store = await chain.deploy(STORE, word(42));
	});
	const set = async (value: number) =>
		(await chain.trigger(store, "set(uint256,string)", setArguments(value)))["txid"];
	const events = async (path: string) =>
		(await (await chain.get(`/v1/${path}`)).json()) as { data: Json[]; meta: Record<string, string> };

	it("are answered by transaction, contract and block, in pages", async () => {
		const ids = [await set(1), await set(2), await set(3)];
		const first = await events(`contracts/${store}/events?event_name=Changed&limit=2`);
		expect(first.data.map((event) => event["transaction_id"])).toEqual([ids[2], ids[1]]);
		const next = `contracts/${store}/events?event_name=Changed&limit=2&fingerprint=${first.meta["fingerprint"]}`;
		expect((await events(next)).data.map((event) => event["transaction_id"])).toEqual([ids[0]]);
		const [event] = (await events(`transactions/${String(ids[0])}/events`)).data;
		expect(event).toMatchObject({
			contract_address: store,
			event_name: "Changed",
			result: { by: expect.stringMatching(/^0x[0-9a-f]{40}$/), value: "1", "1": "1", note: "x" },
			result_type: { by: "address", value: "uint256", note: "string" },
		});
		expect((await events("blocks/latest/events")).data).toHaveLength(1);
	});

	it("have a sentence for a query that makes no sense", async () => {
		const answer = await chain.get(`/v1/contracts/${store}/events?limit=none`);
		expect(answer.status).toBe(400);
		expect(await answer.json()).toMatchObject({ success: false, error: "Invalid limit provided" });
	});
});
