/** The call tree of a transaction that calls, fails inside, makes a contract and asks a built-in one. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const folder = new URL("contracts/", import.meta.url);
const artifact = fileURLToPath(new URL("Store.json", folder));

let chain: DevelopmentChain;
let store: string;
let caller: string;
let id: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	store = String((await chain.acts(["contract", "deploy", "--artifact", artifact, "42"]))["contractAddress"]);
	caller = await deployed("Caller");
	id = String((await chain.acts(["contract", "send", caller, "both", store, "--value", "5sun"]))["txID"]);
});
afterAll(() => chain.stop());

/** Compiles a file of this folder and deploys one of its contracts. */
async function deployed(name: string, ...words: readonly string[]): Promise<string> {
	const source = name === "Caller" ? "Caller.sol" : "Proxies.sol";
	const input = {
		language: "Solidity",
		sources: { [source]: { content: readFileSync(new URL(source, folder), "utf8") } },
		settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "istanbul" },
	};
	const file = chain.home.write(`${name}.json`, JSON.stringify(input));
	const compiled = ["contract", "deploy", "--artifact", file, "--solc", "0.8.37", "--name", name];
	return String((await chain.acts([...compiled, ...words]))["contractAddress"]);
}

/** What hardhat writes beside its artifacts. */
function buildFile(): string {
	const compiler = createRequire(import.meta.url)("solc") as { compile(input: string): string };
	const sources = Object.fromEntries(
		["Caller.sol", "Store.sol"].map((name) => [
			name,
			{ content: readFileSync(new URL(name, folder), "utf8") },
		]),
	);
	const outputSelection = { "*": { "*": ["evm.deployedBytecode"] } };
	const settings = { optimizer: { enabled: true, runs: 200 }, evmVersion: "istanbul", outputSelection };
	const input = { language: "Solidity", sources, settings };
	return JSON.stringify({ input, output: JSON.parse(compiler.compile(JSON.stringify(input))) });
}

interface Lines {
	readonly energy: string;
	readonly lines: readonly {
		readonly file: string;
		readonly line: string;
		readonly text: string;
		readonly energy: string;
	}[];
	readonly unmapped: string;
}

describe("coin tx trace", () => {
	it("tells what a call changed by the names of variables where they are known, else by slots", async () => {
		const source = fileURLToPath(new URL("Store.sol", folder));
		const kept = ["contract", "deploy", source, "42"];
		const contract = String((await chain.acts(kept))["contractAddress"]);
		const sent = await chain.acts(["contract", "send", contract, "set", "7", "hi", "--value", "5sun"]);
		const changes = [
			{ contract, variable: "value", type: "uint256", before: "42", after: "7" },
			{ contract, variable: `paid[${addressOf("ann")}]`, type: "uint256", before: "0", after: "5" },
		];
		const { changes: found } = (await chain.value(`tx trace ${sent["txID"]}`)) as { changes: unknown[] };
		expect(found).toHaveLength(2);
		expect(found).toEqual(expect.arrayContaining(changes));
		const text = await chain.prints(`tx trace ${sent["txID"]} --text`);
		expect(text).toContain(`\n\nstorage of ${contract}\n`);
		expect(text).toContain("\n  value (uint256): 42 -> 7\n");
		const byLine = await chain.prints(`tx trace ${sent["txID"]} --source-map ${source} --text`);
		expect(byLine).toMatch(/\n +\d+ {2}\S*Store\.sol:\d+ {2}value = next/);
		const plain = (await chain.value(`tx trace ${id}`)) as {
			changes: { contract: string; variable: string }[];
		};
		expect(plain.changes).toContainEqual(expect.objectContaining({ contract: store, variable: "0x0" }));
	});
});

describe("coin tx trace --source-map", () => {
	it("shows the energy by line, of every contract whose source is there, and no more than was used", async () => {
		const file = chain.home.write("build-info.json", buildFile());
		const { energy, lines, unmapped } = (await chain.value(
			`tx trace ${id} --source-map ${file}`,
		)) as unknown as Lines;
		const sum = lines.reduce((all, line) => all + BigInt(line.energy), BigInt(unmapped));
		expect(sum).toBe(BigInt(energy));
		const energyOf = (file: string, begin: string): bigint =>
			BigInt(lines.find((line) => line.file === file && line.text.startsWith(begin))?.energy ?? -1);
		expect(energyOf("Store.sol", "value = next")).toBeGreaterThan(20_000n);
		// What Store used is Store's.
		const called = energyOf("Caller.sol", "store.set{value");
		expect(called).toBeGreaterThan(100n);
		expect(called).toBeLessThan(20_000n);
		// The contract that is created runs code without a source.
		expect(BigInt(unmapped)).toBeLessThan(BigInt(energy) / 2n);
		expect(await chain.prints(`tx trace ${id} --source-map ${file}`)).toMatch(
			/\n +\d+ {2}Store\.sol:\d+ {2}value = next/,
		);
	});

	it("draws functions and lines into the flame graph", async () => {
		const file = chain.home.write("build-info.json", buildFile());
		const picture = chain.home.write("lines.svg", "");
		const { energy } = (await chain.value(
			`tx trace ${id} --source-map ${file} --flame ${picture}`,
		)) as unknown as Lines;
		const titles = [...chain.home.read("lines.svg").matchAll(/<title>([^<]*)/g)].map(([, title]) => title);
		expect(titles[0]).toMatch(new RegExp(`^TRANSACTION .*: ${energy} energy \\(100`));
		expect(titles).toContainEqual(expect.stringMatching(/^CALL T\w+ Caller\.sol:Caller: /));
		expect(titles).toContainEqual(expect.stringMatching(/^FUNCTION Store\.sol:\d+ set: /));
		expect(titles).toContainEqual(expect.stringMatching(/^LINE Store\.sol:\d+ value = next/));
	});

	it("draws functions and lines without it, by the sources that the node has", async () => {
		const source = fileURLToPath(new URL("Store.sol", folder));
		const contract = String((await chain.acts(["contract", "deploy", source, "42"]))["contractAddress"]);
		const sent = await chain.acts(["contract", "send", contract, "set", "7", "hi"]);
		await chain.prints(`tx trace ${sent["txID"]} --flame ${chain.home.write("stored.svg", "")}`);
		const drawn = chain.home.read("stored.svg");
		expect(drawn).toMatch(/<title>FUNCTION \S*Store\.sol:\d+ set: /);
		expect(drawn).toMatch(/<title>LINE \S*Store\.sol:\d+ value = next/);
	});

	it("refuses a file without one", async () => {
		const words = ["tx", "trace", id, "--source-map", artifact, "--json"];
		expect(await chain.fails(words, 2)).toMatchObject({
			code: "bad_value",
			message: "the file holds no contract with a source map and its sources",
		});
	});
});

describe("coin tx trace", () => {
	it("is the tree of calls with their functions, values, results and events", async () => {
		const receipt = (await chain.value(`tx receipt ${id}`)) as { receipt: { energy_usage_total: string } };
		expect(await chain.value(`tx trace ${id}`)).toEqual({
			changes: expect.any(Array),
			kind: "CALL",
			from: addressOf("ann"),
			to: caller,
			value: "5",
			function: "both(address)",
			arguments: { store },
			energy: receipt.receipt.energy_usage_total,
			result: "success",
			returned: "7",
			inner: [
				{
					kind: "CALL",
					from: caller,
					to: store,
					value: "5",
					function: "set(uint256,string)",
					arguments: { next: "7", note: "seven" },
					energy: expect.stringMatching(/^\d{4,}$/),
					result: "success",
					inner: [
						{
							kind: "EVENT",
							contract: store,
							event: "Changed(address,uint256,string)",
							arguments: { by: caller, value: "7", note: "seven" },
						},
					],
				},
				expect.objectContaining({ function: "set(uint256,string)", result: "revert", reason: "no thirteen" }),
				expect.objectContaining({ kind: "EVENT", event: "Tried(bool)", arguments: { fine: false } }),
				expect.objectContaining({
					kind: "CREATE",
					from: caller,
					to: expect.stringMatching(/^T/),
					result: "success",
				}),
				expect.objectContaining({
					kind: "STATICCALL",
					to: "0x2",
					result: "success",
					returned: expect.stringMatching(/^0x[0-9a-f]{64}$/),
				}),
				expect.objectContaining({ kind: "STATICCALL", function: "value()", returned: "7" }),
			],
		});
	});

	it("reads well, also as coin dev trace --calls", async () => {
		const text = await chain.prints(`dev trace ${id} --calls`);
		expect(
			text.split("\n").map((line) => line.replace(/T\w{33}/g, "T…").replace(/energy \d+/, "energy n")),
		).toEqual([
			"CALL T… both(store: T…) value 0.000005coin  energy n",
			"  CALL T… set(next: 7, note: seven) value 0.000005coin  energy n",
			"    EVENT Changed(by: T…, value: 7, note: seven)",
			"  CALL T… set(next: 13, note: no)  energy n",
			"    -> revert: no thirteen",
			"  EVENT Tried(fine: false)",
			expect.stringMatching(/^ {2}CREATE T… \d+ bytes of code {2}energy n$/),
			expect.stringMatching(/^ {2}STATICCALL 0x2 0x78 {2}energy n$/),
			expect.stringMatching(/^ {4}-> 0x/),
			"  STATICCALL T… value()  energy n",
			"    -> 7",
			"  -> 7",
			"",
		]);
		const [calls, changed] = (await chain.prints(`tx trace ${id}`)).split("\n\nstorage of ");
		expect(`${calls}\n`).toBe(text);
		expect(changed).toMatch(/^T\w+\n {2}0x0: 0x2a -> 0x7\n/);
	});

	it("reads a call of a proxy, and what it emits, by the contract behind it, also behind a beacon", async () => {
		const beacon = await deployed("Beacon", store);
		for (const [proxy, asked] of [
			[await deployed("Proxy", store), []],
			[await deployed("BeaconProxy", beacon), [{ kind: "STATICCALL", to: beacon, returned: store }]],
		] as const) {
			const sent = await chain.acts(["contract", "send", proxy, "set(uint256,string)", "9", "nine"]);
			const set = { function: "set(uint256,string)", arguments: { next: "9", note: "nine" } };
			expect(await chain.value(`tx trace ${String(sent["txID"])}`)).toMatchObject({
				...set,
				kind: "CALL",
				to: proxy,
				result: "success",
				inner: [
					...asked,
					{
						...set,
						kind: "DELEGATECALL",
						code: store,
						inner: [
							{
								kind: "EVENT",
								contract: proxy,
								event: "Changed(address,uint256,string)",
								arguments: { value: "9", note: "nine" },
							},
						],
					},
				],
			});
		}
	});

	it("writes the energy as a flame graph", async () => {
		const file = chain.home.write("energy.svg", "");
		await chain.prints(`tx trace ${id} --flame ${file}`);
		const svg = chain.home.read("energy.svg");
		expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
		expect(svg).toContain("both(address)");
		expect(svg.match(/<g>/g)?.length).toBeGreaterThan(3);
	});

	it("traces a call that isn't on the chain", async () => {
		expect(await chain.value(`dev trace --calls --call ${store} div 7 0 --from ann`)).toMatchObject({
			function: "div(uint256,uint256)",
			arguments: { a: "7", b: "0" },
			result: "revert",
			reason: "division by zero",
		});
		await chain.acts(
			"token issue --name Gold --supply 1000 --price 1coin/1 --start 1h --end 2h --url http://localhost --yes",
		);
		const paying = `dev trace --calls --call ${store} set 7 x --from ann --value 5sun --token-value 3 --token-id 1000001`;
		expect(await chain.value(paying)).toMatchObject({ value: "5", tokenId: "1000001", tokenValue: "3" });
		const steps = await chain.coin(`dev trace --call ${store} set 1001 x`);
		expect(steps.stderr).toContain("the execution failed: TooLarge(1001, 1000)");
		expect(steps.stderr).toContain(`called by the active account, ${addressOf("ann")}\n`);
	});

	it("has logs of several contracts, each named by its own interface", async () => {
		const logs = `contract logs --address ${caller} --address ${store} --from-block 0`;
		expect(await chain.values(logs)).toMatchObject([
			{ contract: store, event: "Changed", args: { note: "seven" } },
			{ contract: caller, event: "Tried", args: { fine: false } },
		]);
		expect(await chain.values(`${logs} --event Changed`)).toMatchObject([{ event: "Changed" }]);
	});

	it("is shown without what it stored where the node doesn't tell that", async () => {
		const error = { code: -32603, message: "the difference is too long" };
		const partial = createServer(async (request, answer) => {
			const body = Buffer.concat(await request.toArray()).toString();
			if (body.includes("prestateTracer"))
				return answer.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
			const url = `http://127.0.0.1:${chain.ports.jsonrpc}/jsonrpc`;
			const headers = { "content-type": "application/json" };
			return answer.end(await (await fetch(url, { method: "POST", body, headers })).text());
		});
		await new Promise((resolve) => partial.listen(0, "127.0.0.1", () => resolve(undefined)));
		const { port } = partial.address() as AddressInfo;
		await chain.prints(
			`profile set partial http=http://127.0.0.1:${chain.ports.full} jsonrpc=http://127.0.0.1:${port}`,
		);
		const { code, stdout, stderr } = await chain.coin(`tx trace ${id} --profile partial --json`);
		partial.close();
		expect([code, stderr]).toEqual([0, expect.stringContaining("what it stored isn't shown")]);
		expect(Object.keys(JSON.parse(stdout) as object)).toContain("inner");
		expect(Object.keys(JSON.parse(stdout) as object)).not.toContain("changes");
	});

	it("says what can't be traced, and where", async () => {
		const error = { code: -32601, message: "method not found" };
		const network = createServer((_, answer) => answer.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error })));
		await new Promise((resolve) => network.listen(0, "127.0.0.1", () => resolve(undefined)));
		const { port } = network.address() as AddressInfo;
		const { full } = chain.ports;
		await chain.prints(`profile set mute http=http://127.0.0.1:${full} jsonrpc=http://127.0.0.1:${port}`);
		expect(await chain.fails(`tx trace ${id} --profile mute`, 1)).toMatchObject({
			code: "not_served",
			message: "this node doesn't trace transactions",
		});
		// An address that serves no JSON-RPC at all says nothing about tracing.
		await chain.prints(`profile set mute http=http://127.0.0.1:${full} jsonrpc=http://127.0.0.1:${full}`);
		expect(await chain.fails(`tx trace ${id} --profile mute`, 1)).toMatchObject({
			code: "not_served",
			message: expect.stringContaining("serves no JSON-RPC there"),
			hint: expect.stringContaining("jsonrpc"),
		});
		network.close();
		const paid = await chain.acts(["wallet", "send", "bob", "1sun"]);
		expect(await chain.fails(`tx trace ${String(paid["txID"])}`, 2)).toMatchObject({
			message: expect.stringContaining("calls no contract"),
		});
		expect(await chain.fails(`tx trace ${"00".repeat(32)}`, 1)).toMatchObject({
			code: "not_found",
		});
	});
});
