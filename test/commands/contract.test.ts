import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, DevelopmentChain } from "./development-chain.js";

/** `contracts/Store.sol`, compiled by solc 0.8.26 with the optimizer, for the machine of Istanbul. */
const artifact = fileURLToPath(new URL("contracts/Store.json", import.meta.url));

let chain: DevelopmentChain;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	const deployed = await chain.acts(["contract", "deploy", "--artifact", artifact, "42"]);
	store = String(deployed["contractAddress"]);
});
afterAll(() => chain.stop());

describe("coin contract deploy", () => {
	it("knows the address before the transaction is sent", async () => {
		const words = ["contract", "deploy", "--artifact", artifact, "start=1"];
		const { stdout } = await chain.coin([...words, "--dry-run", "--json"]);
		expect(JSON.parse(stdout)).toMatchObject({
			type: "CreateSmartContract",
			contractAddress: expect.stringMatching(/^T/),
			sent: false,
		});
		const sent = await chain.acts(words);
		const txID = String(sent["txID"]);
		expect(await chain.value(`contract address --create ${txID} --owner ${addressOf("ann")}`)).toMatchObject({
			base58: sent["contractAddress"],
		});
	});

	it.each([
		[["contract", "deploy"], 2, { code: "usage" }],
		[["contract", "deploy", "--artifact", artifact], 2, { code: "bad_value" }],
		[["contract", "deploy", "--artifact", "missing.json"], 2, { code: "bad_value" }],
		[["contract", "deploy", "--bin", "0x60__$lib$__"], 2, { code: "bad_value" }],
		[["contract", "deploy", "--bin", "0xfe"], 1, { sent: false }],
		[["contract", "deploy", "--bin", "0x6000", "1"], 2, { code: "usage" }],
	] as const)("refuses %j", async (words, exit, error) => {
		expect(await chain.fails([...words], exit)).toMatchObject(error);
	});
});

describe("coin contract call", () => {
	it.each([
		[["value"], "42"],
		[["value() returns (uint256)"], "42"],
		[["div", "7", "2"], "3"],
		[["div", "b=2", "a=7"], "3"],
		[["paid", "bob"], "0"],
		[["value()", "--raw"], `0x${(42).toString(16).padStart(64, "0")}`],
	])("prints the bare value of %j", async (words, value) => {
		expect(await chain.prints(["contract", "call", store, ...words])).toBe(`${value}\n`);
	});

	it("prints several values as one line of JSON, by name where all have one and --json is left out", async () => {
		const words = ["contract", "call", store, "pairs() returns ((uint256 a,address who)[] list, bool ok)"];
		const pairs = JSON.parse(await chain.prints([...words, "--from", "ann", "--json"])) as unknown;
		const named = JSON.parse(await chain.prints([...words, "--from", "ann"])) as unknown;
		expect(named).toMatchObject({ list: [{ a: "1" }, { a: "42" }], ok: true });
		const nameless = [
			...words.slice(0, 3),
			"pairs() returns ((uint256 a,address who)[],bool)",
			"--from",
			"ann",
		];
		expect(JSON.parse(await chain.prints(nameless))).toEqual(pairs);
		expect(pairs).toEqual([
			[
				{ a: "1", who: addressOf("ann") },
				{ a: "42", who: store },
			],
			true,
		]);
	});

	it("tells why the contract refuses", async () => {
		expect(await chain.fails(["contract", "call", store, "div", "1", "0"], 1)).toMatchObject({
			code: "contract_revert",
			message: "the contract refused the call: division by zero",
			hint: expect.stringContaining("--from"),
			details: { error: "Panic" },
		});
	});

	it.each([
		[["nope"], 2, "the interface has no function nope"],
		[["div", "1"], 2, "1 arguments were given, 2 are needed"],
		[["div", "1", "x"], 2, "the argument uint256 b"],
		[[], 2, "a call needs a function"],
	])("refuses %j", async (words, exit, message) => {
		const error = await chain.fails(["contract", "call", store, ...words], exit as 2);
		expect(error["message"]).toContain(message);
	});

	it("says that there is no contract", async () => {
		const error = await chain.fails(["contract", "call", addressOf("bob"), "value"], 1);
		expect(error).toMatchObject({ code: "not_found" });
	});
});

describe("coin contract send", () => {
	it("reports energy, fee and decoded events", async () => {
		const result = await chain.acts(["contract", "send", store, "set", "7", "a note", "--value", "5sun"]);
		expect(result).toMatchObject({
			type: "TriggerSmartContract",
			contract: store,
			amount: "5",
			energy: expect.stringMatching(/^\d+$/),
			logs: [
				{ contract: store, event: "Changed", args: { by: addressOf("ann"), value: "7", note: "a note" } },
			],
		});
		expect(await chain.prints(["contract", "call", store, "paid", "ann"])).toBe("5\n");
		const { txID, logs } = result;
		expect(await chain.value(`tx receipt ${String(txID)}`)).toMatchObject({
			log: [{ topics: [expect.stringMatching(/^[0-9a-f]{64}$/), expect.anything()] }],
			decoded: { logs },
		});
		expect(await chain.prints(`tx receipt ${String(txID)}`)).toMatch(
			/^ {2}- T\w+.* {2}Changed\(by: T\w+ \(ann\), value: 7/m,
		);
	});

	it("takes a fee limit that is enough, though the node's estimate is higher", async () => {
		const words = [store, "set", "8", "note"];
		const estimate = await chain.value(`contract estimate ${words.join(" ")}`);
		const { energy, energyByEstimator, feeSun } = estimate as Record<string, unknown>;
		expect(Number(energyByEstimator)).toBeGreaterThan(Number(energy));
		const limited = (less: number) => {
			const limit = `${Number(feeSun) - less}sun`;
			return ["contract", "send", ...words, "--fee-limit", limit];
		};
		expect(await chain.fails(limited(1), 1)).toMatchObject({ code: "fee_limit_too_low" });
		expect(await chain.acts(limited(0))).toMatchObject({ energy });
	});

	it("sends nothing that would be refused", async () => {
		const before = await chain.prints("chain head");
		expect(await chain.fails(["contract", "send", store, "set", "2000", "x"], 1)).toMatchObject({
			code: "contract_revert",
			sent: false,
			details: { error: "TooLarge", arguments: { given: "2000", limit: "1000" } },
		});
		expect(await chain.prints("chain head")).toBe(before);
	});

	it("reports a transaction that failed in a block, with the contract's reason", async () => {
		const words = ["contract", "send", store, "set", "13", "x", "--fee-limit", "10coin"];
		expect(await chain.fails(words, 1)).toMatchObject({
			code: "contract_revert",
			message: expect.stringContaining("no thirteen"),
			hint: expect.stringContaining("--force"),
			sent: false,
		});
		const poor = ["contract", "send", store, "set", "7", "x", "--fee-limit", "0.0001coin"];
		expect(await chain.fails(poor, 1)).toMatchObject({ code: "fee_limit_too_low", sent: false });
		words.push("--force", "--wait");
		const { code, stdout, stderr } = await chain.coin(words);
		expect(code).toBe(1);
		expect(JSON.parse(stdout)).toMatchObject({ state: "failed", result: "REVERT", reason: "no thirteen" });
		expect(stderr).toContain('"sent":true');
		const { txID } = JSON.parse(stdout) as { txID: string };
		expect(await chain.value(`tx receipt ${txID}`)).toMatchObject({ decoded: { reason: "no thirteen" } });
		const waited = await chain.coin(["tx", "wait", txID, "--json"]);
		expect(waited.stderr).toContain("the transaction failed: REVERT, no thirteen");
	});

	it("asks before an allowance without a limit, by a function or by bytes", async () => {
		const all = "ff".repeat(32);
		const spender = `${"00".repeat(12)}${"22".repeat(20)}`;
		for (const call of [
			["approve(address,uint256)", "bob", `0x${all}`],
			["setApprovalForAll(address,bool)", "bob", "true"],
			["--data", `0x095ea7b3${spender}${all}`],
		]) {
			const words = ["contract", "send", store, ...call, "--force", "--fee-limit", "10coin"];
			expect(await chain.fails(words, 2)).toMatchObject({
				code: "confirmation_needed",
				message: expect.stringContaining("move everything of the token"),
				sent: false,
			});
		}
	});

	it("builds an envelope that says what it calls", async () => {
		const { stdout } = await chain.coin(["contract", "send", store, "set", "5", "x", "--build"]);
		expect(JSON.parse(stdout)).toMatchObject({
			coin: { data: { signature: "set(uint256,string)", arguments: ["5", "x"] } },
		});
		const named = { signature: "set(uint256,string)", arguments: { next: "5", note: "x" } };
		expect(JSON.parse(stdout)).toMatchObject({
			coin: { summary: expect.stringContaining('calls set(next=5, note="x")') },
		});
		const signed = await chain.coin(["wallet", "sign"], stdout);
		expect(JSON.parse((await chain.coin(["wallet", "approvals", "--json"], stdout)).stdout)).toMatchObject({
			call: { ...named, source: "own" },
		});
		const decoded = await chain.coin(["tx", "decode", "--json"], stdout);
		expect(JSON.parse(decoded.stdout)).toMatchObject({ call: named });
		const sent = await chain.coin(["wallet", "broadcast", "--wait"], signed.stdout);
		const result = JSON.parse(sent.stdout) as { txID: string };
		expect(result).toMatchObject({ state: "solid", result: "SUCCESS", call: named });
		expect(await chain.value(`tx show ${result.txID}`)).toMatchObject({ call: named });
		const blind = await chain.coin([
			"contract",
			"send",
			store,
			"--data",
			"0xdeadbeef01",
			"--build",
			"--force",
			"--fee-limit",
			"1coin",
		]);
		expect(
			JSON.parse((await chain.coin(["wallet", "approvals", "--json"], blind.stdout)).stdout),
		).toMatchObject({
			call: { data: "0xdeadbeef01" },
		});
		expect(await chain.prints(["contract", "call", store, "value"])).toBe("5\n");
	});
});

describe("what a contract is", () => {
	it("shows its record", async () => {
		expect(await chain.value(`contract show ${store}`)).toMatchObject({
			address: store,
			name: "Store",
			owner: addressOf("ann"),
			callerPercent: 100,
			originEnergyLimit: "10000000",
		});
		expect(await chain.value(`contract show ${addressOf("bob")} --or-null`)).toBeNull();
	});

	it("prints its interface in a form that --abi reads", async () => {
		const abi = await chain.prints(`contract abi ${store}`);
		const file = chain.home.write("Store.abi", abi);
		expect(await chain.prints(["contract", "call", store, "value", "--abi", `@${file}`])).toMatch(/^\d+\n$/);
		const human = await chain.prints(`contract abi ${store} --human`);
		expect(human).toContain("function div(uint256 a, uint256 b) pure returns (uint256)  0xa391c15b\n");
	});

	it("prints its code, which disassembles", async () => {
		const code = await chain.prints(`contract code ${store}`);
		const size = Number(await chain.prints(`contract code ${store} --size`));
		expect(code.trim()).toHaveLength(2 + 2 * size);
		const { stdout } = await chain.coin("abi disassemble", code);
		expect(stdout.split("\n").slice(0, 3)).toEqual(["0000  PUSH1 0x80", "0002  PUSH1 0x40", "0004  MSTORE"]);
	});

	it("reads slots of its storage, through mappings", async () => {
		await chain.acts(["contract", "send", store, "set", "9", "x", "--value", "4sun"]);
		expect(BigInt((await chain.prints(`contract storage ${store} 0`)).trim())).toBe(9n);
		const paid = await chain.prints(["contract", "call", store, "paid", "ann"]);
		const slot = await chain.prints(`contract storage ${store} 1 --at ann`);
		expect(BigInt(slot.trim())).toBe(BigInt(paid.trim()));
	});

	it("estimates what a call costs", async () => {
		const estimate = (await chain.value(`contract estimate ${store} set 3 x`)) as Record<string, string>;
		expect(BigInt(estimate["feeSun"] ?? "")).toBe(BigInt(estimate["energy"] ?? "") * 100n);
		expect(estimate["callerShare"]).toBe(100);
	});

	it("finds its logs, by event and by indexed value", async () => {
		const all = await chain.values(`contract logs --address ${store} --from-block 0`);
		expect(all[0]).toMatchObject({ contract: store, event: "Changed", args: { value: "7", note: "a note" } });
		const lines = `contract logs --address ${store} --event Changed --from-block 0`;
		expect(await chain.values(`${lines} --topic ann`)).toEqual(all);
		expect(await chain.values(`${lines} --topic bob`)).toEqual([]);
	});

	it.each([
		["contract logs vault box", 2, "did you mean --address box?"],
		["contract logs --address vault,box", 1, "repeat --address: --address vault --address box"],
	] as const)("leads from %s to --address", async (line, exit, hint) => {
		expect(await chain.fails(line, exit)).toMatchObject({ hint });
	});

	it("takes new settings from its owner alone", async () => {
		await chain.acts(`contract set-percent ${store} 30`);
		await chain.acts(`contract set-energy-limit ${store} 5000000`);
		await chain.idles(`contract set-percent ${store} 30`, `contract set-energy-limit ${store} 5000000`);
		expect(await chain.value(`contract show ${store}`)).toMatchObject({
			callerPercent: 30,
			originEnergyLimit: "5000000",
		});
		expect(await chain.fails(`contract set-percent ${store} 30 --from bob`, 1)).toMatchObject({
			code: "contract_validate",
		});
		expect(await chain.fails(`contract set-percent ${store} 101`, 2)).toMatchObject({ code: "bad_value" });
	});

	it("loses its interface only with consent", async () => {
		const other = await chain.acts(["contract", "deploy", "--artifact", artifact, "1"]);
		const address = String(other["contractAddress"]);
		expect(await chain.fails(`contract clear-abi ${address}`, 2)).toMatchObject({
			code: "confirmation_needed",
		});
		await chain.acts(`contract clear-abi ${address} --yes`);
		await chain.idles(`contract clear-abi ${address}`);
		expect(await chain.value(`contract show ${address} --json`)).toMatchObject({ entries: 0 });
		// What was deployed is kept beside the contacts.
		expect(await chain.value(`contract abi ${address}`)).not.toEqual([]);
		expect(await chain.prints(["contract", "call", address, "value() returns (uint256)"])).toBe("1\n");
	});
});

describe("coin abi", () => {
	const call = `0xa9059cbb${"7e5f4552091a69125d5dfcb7b8c2659029395bdf".padStart(64, "0")}${"5".padStart(64, "0")}`;

	it.each([
		[["encode", "transfer(address,uint256)", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", "5"], call],
		[["encode", "(uint256)", "5"], `0x${"5".padStart(64, "0")}`],
		[["selector", "transfer(address,uint256)"], "0xa9059cbb"],
		[["decode", "(uint256)", `0x${"5".padStart(64, "0")}`], "5"],
		[["decode", "--output", "f() returns (bool)", `0x${"1".padStart(64, "0")}`], "true"],
		[["error", "Error(string)"], "0x08c379a0"],
		[
			["event", "Transfer(address,address,uint256)"],
			"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
		],
	])("%j", async (words, printed) => {
		expect(await chain.prints(["abi", ...words])).toBe(`${printed}\n`);
	});

	it("knows the errors and functions of contracts whose interface is kept", async () => {
		await chain.prints(["contact", "add", "shop", store, "--abi", artifact]);
		const [row] = (await chain.values("abi 4byte TooLarge")) as [{ selector: string }];
		expect(row).toMatchObject({ kind: "error", signature: "TooLarge(uint256 given, uint256 limit)" });
		const data = `${row.selector}${"7d0".padStart(64, "0")}${"3e8".padStart(64, "0")}`;
		expect(await chain.prints(["abi", "error", data])).toBe("TooLarge(2000, 1000)\n");
		expect(await chain.prints(["abi", "error", data, "--abi", "shop"])).toBe("TooLarge(2000, 1000)\n");
		const bare = ["abi", "error", row.selector, "--abi", "shop"];
		expect(await chain.prints(bare)).toBe("TooLarge(uint256,uint256)\n");
		expect(await chain.value(bare.join(" "))).toEqual({
			reason: "TooLarge(uint256,uint256)",
			error: "TooLarge",
		});
		const bob = ["abi", "error", data, "--abi", "bob"];
		expect(await chain.fails([...bob], 1)).toMatchObject({ code: "not_found" });
		const sent = await chain.prints(["abi", "encode", "paid", "bob", "--abi", "shop"]);
		expect(await chain.prints(["abi", "calldata-decode", sent.trim()])).toContain(addressOf("bob"));
	});

	it("decodes in a pipeline", async () => {
		const words = ["abi", "calldata-decode", "--signature", "transfer(address to,uint256 value)", "--json"];
		const { stdout } = await chain.coin(words, call);
		expect(JSON.parse(stdout)).toEqual({
			signature: "transfer(address,uint256)",
			arguments: { to: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC", value: "5" },
		});
		const empty = await chain.coin(words, "");
		expect(empty.code).toBe(2);
		expect(empty.stderr).toContain("stdin_empty");
	});
});
