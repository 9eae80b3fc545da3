/** Deploying from a compiler's standard JSON, and comparing what is deployed with sources. */

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const source = readFileSync(new URL("contracts/Store.sol", import.meta.url), "utf8");
const SETTINGS = ["--optimizer-runs", "200", "--evm-version", "istanbul"];

let chain: DevelopmentChain;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	const input = {
		language: "Solidity",
		sources: { "Store.sol": { content: source } },
		settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "istanbul" },
	};
	chain.home.write("input.json", JSON.stringify(input));
	chain.home.write("Store.sol", source);
	const deployed = await chain.acts([
		"contract",
		"deploy",
		"--artifact",
		"input.json",
		"--solc",
		"0.8.37",
		"42",
	]);
	store = String(deployed["contractAddress"]);
});
afterAll(() => chain.stop());

describe("coin contract verify", () => {
	it("finds the sources, the settings and the constructor's arguments", async () => {
		expect(
			await chain.value(`contract verify ${store} --source Store.sol ${SETTINGS.join(" ")} --solc 0.8.37`),
		).toEqual({
			address: store,
			contract: "Store.sol:Store",
			match: "exact",
			compiler: expect.stringMatching(/^0\.8\.37\+/),
			constructor: { start: "42" },
		});
		expect(await chain.value(`contract verify ${store} --source input.json --contract Store`)).toMatchObject({
			match: "exact",
		});
	});

	it("keeps interface and layout for later calls, of who deployed or didn't", async () => {
		const other = { ...chain.environment, XDG_DATA_HOME: join(chain.home.path, "verifier") };
		const prints = async (words: string) => (await chain.home.run(words.split(" "), "", other)).stdout;
		const paid = `contract storage ${store} value`;
		expect(await prints(paid)).toBe("");
		await prints(`contract verify ${store} --source Store.sol ${SETTINGS.join(" ")} --solc 0.8.37`);
		expect(await prints(paid)).toBe("42\n");
		expect(await prints(`contract interface ${store}`)).toContain("string note");
	});

	it("is satisfied by sources that differ in comments alone", async () => {
		chain.home.write("Remarks.sol", `// Another remark.\n${source}`);
		expect(
			await chain.value(`contract verify ${store} --source Remarks.sol ${SETTINGS.join(" ")} --solc 0.8.37`),
		).toMatchObject({ contract: "Remarks.sol:Store", match: "code" });
	});

	it("says where other code differs, and which compiler made it", async () => {
		chain.home.write("Other.sol", source.replace("> 1000", "> 1001"));
		const other = [
			"contract",
			"verify",
			store,
			"--source",
			"Other.sol",
			...SETTINGS,
			"--solc",
			"0.8.37",
			"--json",
		];
		expect(await chain.fails(other, 1)).toMatchObject({
			code: "code_mismatch",
			message: expect.stringMatching(/is not that of Other.sol:Store: it differs from byte \d+ of \d+/),
		});
		const older = [
			"contract",
			"verify",
			store,
			"--source",
			"Other.sol",
			...SETTINGS,
			"--solc",
			"0.8.29",
			"--json",
		];
		expect(await chain.fails(older, 1)).toMatchObject({
			code: "code_mismatch",
			details: { deployedBy: "0.8.37", compiler: expect.stringMatching(/^0\.8\.29\+/) },
		});
	});

	it.each([
		[["--source", "none.sol", "--solc", "0.8.37"], 2, "bad_value"],
		[["--source", "Store.sol", "--solc", "0.5.1"], 1, "not_found"],
		[["--source", "input.json", "--evm-version", "paris"], 2, "conflicting_flags"],
		[["--source", "input.json", "--contract", "Nope"], 2, "bad_value"],
		[[], 2, "usage"],
	] as const)("refuses %j", async (words, exit, code) => {
		expect(await chain.fails(["contract", "verify", store, ...words, "--json"], exit)).toMatchObject({
			code,
		});
	});

	it("stores sources with the node, by which events are decoded when the chain has no interface", async () => {
		const set = await chain.acts([
			"contract",
			"send",
			store,
			"set(uint256,string)",
			"7",
			"x",
			"--fee-limit",
			"100coin",
		]);
		await chain.acts(["contract", "clear-abi", store, "--yes"]);
		// Somebody else, who has kept no interface.
		const newest = async (): Promise<unknown> => {
			const logs = ["contract", "logs", "--address", store, "--history", "--limit", "1", "--json"];
			const other = { ...chain.environment, XDG_DATA_HOME: join(chain.home.path, "elsewhere") };
			return JSON.parse((await chain.home.run(logs, "", other)).stdout);
		};
		expect(await newest()).toMatchObject({
			txID: set["txID"],
			topics: [expect.stringMatching(/^0x/), expect.stringMatching(/^0x/)],
		});
		const words = `contract verify ${store} --source input.json --contract Store --store`;
		expect(await chain.value(words)).toMatchObject({ match: "exact", stored: true });
		expect(await newest()).toMatchObject({ event: "Changed", args: { value: "7", note: "x" } });
		const answer = await fetch(`${chain.gateway}/v1/contracts/${store}/source`);
		expect(((await answer.json()) as { data: object[] }).data).toEqual([
			expect.objectContaining({
				contract_address: store,
				contract: "Store.sol:Store",
				compiler: expect.stringMatching(/^0\.8\.37\+/),
				match: "exact",
				sources: { "Store.sol": source },
				abi: expect.arrayContaining([expect.objectContaining({ name: "Changed" })]),
				storage_layout: expect.objectContaining({
					storage: expect.arrayContaining([expect.objectContaining({ label: "paid", slot: "1" })]),
				}),
			}),
		]);
		const named = await fetch(`${chain.gateway}/v1/contracts?name=chang`);
		expect(await named.json()).toMatchObject({
			data: [{ contract_address: store, contract: "Store.sol:Store" }],
			success: true,
		});
		expect((await fetch(`${chain.gateway}/v1/contracts`)).status).toBe(400);
		// Commands find the interface there, too.
		expect(await chain.prints(["contract", "call", store, "value"])).toBe("7\n");
	});

	it("stores nothing without sources, and says which node is missing", async () => {
		const artifact = new URL("contracts/Store.json", import.meta.url).pathname;
		const bare = ["contract", "verify", store, "--source", artifact, "--store", "--json"];
		expect(await chain.fails(bare, 2)).toMatchObject({ code: "bad_value" });
		const elsewhere = `contract verify ${store} --source input.json --store -d nowhere --json`.split(" ");
		expect(await chain.fails(elsewhere, 1)).toMatchObject({ code: "not_found" });
	});
});

describe("coin contract deploy <file.sol:Name>", () => {
	it("compiles with the project's own compiler, and knows the contract by its label afterwards", async () => {
		const { home } = chain;
		for (const folder of ["app/src", "app/node_modules/base"])
			mkdirSync(join(home.path, folder), { recursive: true });
		symlinkSync(
			fileURLToPath(new URL("../../node_modules/solc", import.meta.url)),
			join(home.path, "app/node_modules/solc"),
		);
		home.write("app/package.json", "{}");
		home.write("app/remappings.txt", "base/=node_modules/base/");
		home.write(
			"app/node_modules/base/Base.sol",
			"pragma solidity ^0.8.0; contract Base { address internal owner = msg.sender; }",
		);
		home.write(
			"app/src/Two.sol",
			`pragma solidity ^0.8.0; import "base/Base.sol";
			contract One {}
			contract Two is Base {
				struct Order { uint64 amount; string note; }
				uint8 small; mapping(address => Order) public orders; string public title;
				uint256 private immutable limit = 9; address private immutable maker;
				function check() external view returns (bool) { return limit > 1 && limit < 100 && maker != address(0); }
				constructor(string memory text) { maker = msg.sender; small = 7; title = text; orders[msg.sender] = Order(5, "first"); }
				function set(Order calldata order) external payable { orders[msg.sender] = order; }
			}`,
		);
		const made = await chain.acts([
			"contract",
			"deploy",
			"app/src/Two.sol:Two",
			"a title of more than thirty-one bytes",
			"--label",
			"two",
			"--evm-version",
			"istanbul",
		]);
		const deployed = String(made["contractAddress"]);
		expect(await chain.values("contact list")).toContainEqual({
			label: "two",
			address: deployed,
			note: `Two, ${String(made["txID"])}`,
		});
		expect(await chain.values("contract storage two")).toEqual([
			{ name: "owner", type: "address", slot: "0", value: addressOf("ann") },
			{ name: "small", type: "uint8", slot: "0", value: "7" },
			{ name: "orders", type: "mapping(address => struct Two.Order)", slot: "1", value: "by key" },
			{ name: "title", type: "string", slot: "2", value: '"a title of more than thirty-one bytes"' },
		]);
		expect(await chain.prints("contract storage two orders[ann].amount")).toBe("5\n");
		expect(await chain.fails("contract storage two ordres", 2)).toMatchObject({
			hint: "did you mean orders?",
		});
		expect(await chain.prints("contract interface two")).toBe(
			[
				"pragma solidity >=0.8.4;",
				"",
				"interface ITwo {",
				"    struct Order {",
				"        uint64 amount;",
				"        string note;",
				"    }",
				"",
				"    function check() external view returns (bool);",
				"    function orders(address) external view returns (uint64 amount, string memory note);",
				"    function set(Order calldata order) external payable;",
				"    function title() external view returns (string memory);",
				"}",
				"",
			].join("\n"),
		);
		expect(await chain.prints("contract interface two --typescript")).toMatch(
			/^export const twoAbi = \[\n\t\{"type":"constructor".*\n\] as const;\n$/s,
		);
	});

	it("reads a proxy's variables and past events by the contract behind it", async () => {
		chain.home.write(
			"app/src/Proxies.sol",
			readFileSync(new URL("contracts/Proxies.sol", import.meta.url), "utf8"),
		);
		chain.home.write("app/src/Store.sol", source);
		const deploy = ["contract", "deploy", "--evm-version", "istanbul"];
		await chain.acts([...deploy, "app/src/Store.sol:Store", "7", "--label", "logic"]);
		await chain.acts([...deploy, "app/src/Proxies.sol:Proxy", "logic", "--label", "front"]);
		await chain.acts(["contract", "send", "front", "set(uint256,string)", "9", "nine"]);
		await chain.acts(["contract", "send", "front", "set(uint256,string)", "8", "eight"]);
		const read = await chain.coin("contract storage front value");
		expect(read).toMatchObject({ stdout: "8\n", stderr: expect.stringContaining("behind the proxy") });
		expect((await chain.coin("contract storage front --json")).stdout).toContain('"name":"paid"');
		for (const event of ["", " --event Changed"]) {
			const past = await chain.values(`contract logs front --history${event}`);
			expect(past).toMatchObject([{ args: { note: "nine" } }, { args: { note: "eight" } }]);
			expect(past).toEqual(await chain.values(`contract logs front${event}`));
			expect(await chain.values(`contract logs front --history --limit 1${event}`)).toEqual(past.slice(1));
		}
	});

	it("lists each immutable variable once, by its name", async () => {
		expect(
			await chain.value("contract verify two --source app/src/Two.sol --contract Two --evm-version istanbul"),
		).toMatchObject({
			contract: "src/Two.sol:Two",
			match: "exact",
			immutables: {
				limit: `0x${"9".padStart(64, "0")}`,
				maker: expect.stringMatching(/^0x0{24}[0-9a-f]{40}$/),
			},
		});
	});

	it("refuses a label that is taken before anything is signed", async () => {
		expect(await chain.fails(["contract", "deploy", "Store.sol", "1", "--label", "bob"], 2)).toMatchObject({
			message: '"bob" is the label of a key already',
			sent: false,
		});
	});

	it("loses its label when it fails, and leaves it free where nobody waited for it", async () => {
		const deploy = ["contract", "deploy", "Store.sol", "1", "--label", "late"];
		const failing = [...deploy, "--fee-limit", "1coin", "--force"];
		expect(await chain.coin([...failing, "--wait-included"])).toMatchObject({ code: 1 });
		expect(await chain.prints("contact list --json")).not.toContain("late");
		expect(await chain.coin(failing)).toMatchObject({ code: 0 });
		const added = await chain.coin(["contact", "add", "late", addressOf("bob")]);
		expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(/^late was T\w{33} until now, /) });
	});
});

describe("a contract that a development chain compiled and deployed", () => {
	it("is verified there, and its label is free again when the chain has begun anew", async () => {
		const deploy = ["contract", "deploy", "Store.sol:Store", "42", "--label", "kept"];
		const waited = await chain.acts(deploy);
		expect(waited).toMatchObject({ verified: "exact", stored: true });
		const named = await chain.acts([...deploy.slice(0, 4), "--node", chain.gateway]);
		const { contractAddress: atOnce } = (await chain.value(deploy.slice(0, 4).join(" "))) as typeof waited;
		const unnamed = await chain.coin([...deploy.slice(0, 4), "--text", "--wait"]);
		expect(unnamed.stdout).toContain("  verified    exact, source stored with the node");
		expect(unnamed.stderr).toMatch(/coin contact add <label> T\w{33} gives the contract a label/);
		for (const address of [waited["contractAddress"], named["contractAddress"], atOnce]) {
			const answer = await fetch(`${chain.gateway}/v1/contracts/${String(address)}/source`);
			expect(((await answer.json()) as { data: object[] }).data).toEqual([
				expect.objectContaining({
					contract: "Store.sol:Store",
					match: "exact",
					sources: { "Store.sol": source },
				}),
			]);
		}
		expect(await chain.fails([...deploy, "--yes"], 2)).toMatchObject({
			message: 'there is a contact "kept" already',
		});
		await chain.prints("dev reset");
		const again = await chain.coin([...deploy, "--wait"]);
		const moved = `kept was ${String(waited["contractAddress"])} until now, which this chain doesn't have`;
		expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(moved) });
		expect(await chain.prints("call kept value")).toBe("42\n");
	});
});
