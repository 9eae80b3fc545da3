import { inspect } from "node:util";
import { expect, it } from "vitest";
import { topicOf } from "../../../src/abi/selector.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import {
	amountText,
	argumentText,
	Coins,
	type ConsoleChain,
	contractObject,
	TokenAmount,
} from "../../../src/terminal/console/contract-object.js";
import { Operations } from "../../../src/terminal/console/operations.js";
import { readArguments } from "../../../src/wallet/abi/argument.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { writeWireJson } from "../../../src/wallet/json.js";
import { answering } from "../../wallet/answering-client.js";

const account = { address: "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6" };

it("writes values as the command line's arguments", () => {
	expect(argumentText("a, b")).toBe("a, b");
	expect(argumentText(5n)).toBe("5");
	expect(argumentText(7)).toBe("7");
	expect(argumentText(true)).toBe("true");
	expect(argumentText(Uint8Array.of(1, 255))).toBe("0x01ff");
	expect(argumentText(account)).toBe(account.address);
	expect(argumentText([{ to: account, amount: 5n, note: 'say "hi"' }])).toBe(
		`[{to:${account.address},amount:5,note:"say \\"hi\\""}]`,
	);
});

it("reckons with coins as with amounts, and shows them with their unit", () => {
	const coins = new Coins(5_000_000n);
	expect((coins as unknown as bigint) - 1_000_000n).toBe(4_000_000n);
	expect((coins as unknown as bigint) > 4_999_999n).toBe(true);
	expect([`${coins}`, inspect(coins), JSON.stringify(coins)]).toEqual(["5coin", "5coin", '"5coin"']);
	expect(writeWireJson([coins, 5_000_000n, new TokenAmount("5@gold")])).toBe('[5000000,5000000,"5@gold"]');
	expect([amountText("amount", coins), argumentText(coins)]).toEqual(["5coin", "5coin"]);
});

it("is read back as it was meant", async () => {
	const { inputs } = parseSignature("batch((uint256 amount,string note)[] list,uint8[3] three)", "function");
	const texts = [[{ amount: 5n, note: "a,b]" }], [1, 2, 3]].map((value) => argumentText(value));
	expect(await readArguments(inputs, texts, () => Promise.reject(new Error("no account")))).toEqual([
		[[5n, "a,b]"]],
		[1n, 2n, 3n],
	]);
});

it("refuses what JavaScript has rounded, and what no contract takes", () => {
	expect(() => argumentText(1e21)).toThrow("not exact");
	expect(() => argumentText(0.5)).toThrow("not exact");
	expect(() => argumentText(undefined)).toThrow("undefined can't be an argument");
	expect(() => argumentText([null])).toThrow("null can't be an argument");
	const deep: unknown[] = [];
	deep.push(deep);
	expect(() => argumentText(deep)).toThrow("nested deeper");
});

it("counts an amount that names its token, among the arguments and with the call", async () => {
	const settings = { tokens: { gold: "1000001" }, contactsFile: "/nowhere/contacts" };
	const { client } = answering({ getassetissuebyid: { id: "1000001", precision: 2n } }, settings);
	const words: object[] = [];
	const chain = {
		client,
		settings,
		operations: new Operations(),
		from: () => undefined,
		perform: async (_: unknown, plan: (actor: object) => Promise<object>) => {
			const owner = new Uint8Array(21);
			const { nodesWord } = (await plan({ client, settings, owner })) as { nodesWord: object[] };
			words.push(...nodesWord);
		},
	} as unknown as ConsoleChain;
	const limit = parseSignature("limit(uint256 value) payable", "function");
	const vault = contractObject(chain, "vault", new Uint8Array(21), [limit]) as {
		limit: ((...values: unknown[]) => Promise<unknown>) & { data(text: string): Promise<string> };
	};
	const three = new TokenAmount("3@gold") as unknown as string;
	for (const given of ["3@gold", three]) expect(await vault.limit.data(given)).toMatch(/^0x.{8}0{61}12c$/);
	await vault.limit(three, { tokenValue: new TokenAmount("1@gold"), feeLimit: 5n, force: true });
	expect(words).toMatchObject([
		{ text: "3", units: 300n },
		{ text: "1", units: 100n },
	]);
});

interface Calls {
	[name: string]: { data(...values: unknown[]): Promise<string> };
}

/** A contract with functions by their signatures, at a node that answers each constant call with 18, twice. */
function calling(coins: readonly (readonly [bigint, string])[], ...signatures: readonly string[]): Calls {
	const constant_result = [18n.toString(16).padStart(64, "0").repeat(2)];
	const answers = { triggerconstantcontract: { result: { result: true }, constant_result } };
	const { client } = answering(answers, { contactsFile: "/nowhere/contacts" });
	const operations = new Operations();
	for (const [sun, text] of coins) operations.coins.set(sun, text);
	const chain = { client, settings: client.settings, operations, from: () => undefined };
	const items = signatures.map((signature) => parseSignature(signature, "function"));
	const contract = Uint8Array.of(0x41, ...new Uint8Array(20));
	return contractObject(chain as unknown as ConsoleChain, "vault", contract, items) as Calls;
}

it("has several results in order and by their names, and shows the names", async () => {
	const vault = calling(
		[],
		"position() view returns (uint256 low,uint256 at)",
		"pair() view returns (uint256,uint256 b)",
	) as unknown as { [name: string]: () => Promise<bigint[] & { low: bigint }> };
	const position = (await vault["position"]?.()) ?? [];
	expect([...position, position.at, inspect(position)]).toEqual([18n, 18n, 18n, "{ low: 18n, at: 18n }"]);
	expect(inspect(await vault["pair"]?.())).toBe("[ 18n, 18n ]");
});

it("takes an object for options wherever the function takes none, and refuses what is none", async () => {
	const vault = calling(
		[],
		"deposit(string note) payable",
		"mint(address to,uint256 amount,string reason)",
		"list(string[] notes)",
		"pay((address to,string note) one)",
	);
	const value = 1n;
	for (const [name, values, said] of [
		["deposit", [{ value }], "0 arguments were given, 1 are needed: string note"],
		["mint", [account, 5n, { from: account }], "2 arguments were given, 3 are needed: address to"],
		["deposit", ["note", { valeu: 1n }], '"valeu" is not an option of a call'],
		["deposit", [{ valeu: 1n }], '"valeu" is not an option of a call'],
		["deposit", [{ value }, {}], "the argument string note is no object"],
		["deposit", [["note"]], "the argument string note is no object"],
		["list", [[{ value }]], "is no object"],
		["pay", [{ to: account, note: { value } }], "the argument string note is no object"],
		["pay", [{ value }], "the tuple has no member"],
	] as const)
		await expect((vault[name] as Calls[string]).data(...values), name).rejects.toThrow(said);
	for (const [name, values] of [
		["deposit", ["note", { value }]],
		["list", [["a", "b"], { value }]],
		["pay", [{ to: account, note: "a" }, { value }]],
		["pay", [[account, "a"]]],
	] as const)
		expect(await (vault[name] as Calls[string]).data(...values), name).toMatch(/^0x/);
	await expect(vault["deposit"]?.data("a", { valeu: 1n })).rejects.toMatchObject({
		facts: { hint: "did you mean value?" },
	});
});

it("takes what was typed as coins for no amount of a token that counts otherwise", async () => {
	const gold = calling([[5_000_000n, "5coin"]], "transfer(address to,uint256 amount)");
	await expect(gold["transfer"]?.data(account, 5_000_000n)).rejects.toThrow(
		'"5coin" is an amount of coin, and this contract is a token of 18 decimals',
	);
	expect(await gold["transfer"]?.data(account, 5n)).toMatch(/5$/);
});

it("tells which member a mistyped one is near to", () => {
	expect(() => calling([], "title()")["titel"]).toThrow("vault has no titel");
});

it("gives a text the digits of a number, whatever was typed as coins before", async () => {
	const vault = calling([[5n, "5sun"]], "note(string text)");
	const both = calling([[5n, "5sun"]], "pay((string note,uint256 amount) one)");
	await expect(both["pay"]?.data({ note: "x", amount: 5n })).rejects.toThrow("5sun");
	expect(await vault["note"]?.data(5n)).toMatch(new RegExp(`${Buffer.from("5").toString("hex")}0{62}$`));
});

it("has functions with the names of its own members by their signatures alone", async () => {
	const vault = calling([], "then(uint256 x)", "address()", "title()");
	expect(Object.keys(vault)).toEqual(["address", "then(uint256)", "address()", "title", "events"]);
	expect(typeof vault["address"]).toBe("string");
	expect(await Promise.resolve(vault)).toBe(vault);
	expect(await vault["then(uint256)"]?.data(1n)).toMatch(/^0x/);
});

it("tells its events, of the newest blocks or those that are asked for", async () => {
	const ranges: unknown[] = [];
	const word = (value: bigint): string => value.toString(16).padStart(64, "0");
	const paid = parseSignature("Paid(uint256 indexed id,uint256 amount)", "event");
	const send = async ({ body }: { readonly body: string }): Promise<object> => {
		const { method, params } = JSON.parse(body);
		const [{ fromBlock = "", toBlock = "", topics = [] } = {}] = params;
		if (method === "eth_getLogs") ranges.push([fromBlock, toBlock, topics.length]);
		const log = (number: number): object => ({
			blockNumber: "0x7",
			transactionHash: `0x${"ab".repeat(32)}`,
			logIndex: `0x${number.toString(16)}`,
			address: `0x${"00".repeat(20)}`,
			topics: [`0x${Buffer.from(topicOf(paid)).toString("hex")}`, `0x${word(5n)}`],
			data: `0x${word(9n)}`,
		});
		const logs = Array.from({ length: fromBlock === "0x0" ? 1001 : 1 }, (_, index) => log(index));
		const result = method === "eth_blockNumber" ? "0x2710" : logs;
		return { status: 200, body: utf8(JSON.stringify({ result })) };
	};
	const call = async (_: string, { num }: { readonly num: bigint }): Promise<object> => ({
		block_header: { raw_data: { number: num } },
	});
	const client = { send, call, settings: { jsonrpc: "http://node", contactsFile: "/nowhere/contacts" } };
	const chain = { client, settings: client.settings, operations: new Operations(), from: () => undefined };
	const events = (...more: readonly string[]): ((...values: unknown[]) => Promise<unknown>) => {
		const items = [paid, ...more.map((text) => parseSignature(text, "function"))];
		const contract = Uint8Array.of(0x41, ...new Uint8Array(20));
		const object = contractObject(chain as unknown as ConsoleChain, "vault", contract, items);
		return (object as { events(...values: unknown[]): Promise<unknown> }).events;
	};
	const found = { block: 7n, logIndex: 0, event: "Paid", args: { id: 5n, amount: 9n } };
	expect(await events()("Paid")).toMatchObject([found]);
	expect(await events()({ from: 1, to: 8n })).toMatchObject([found]);
	expect(ranges).toEqual([
		["0x1389", "0x2710", 1],
		["0x1", "0x8", 0],
	]);
	await expect(events()("Piad")).rejects.toThrow("no event Piad");
	await expect(events()("Paid", { form: 1 })).rejects.toThrow('"form" is not an option');
	await expect(events()("Paid", { from: 0 })).rejects.toThrow(
		"there are more than 1000 events in blocks 0 to",
	);
	await expect(events()({ from: 1, to: 2_000_000 })).rejects.toThrow("more than 1000000 blocks");
	await expect(events("events(uint256 x) view")()).rejects.toThrow("1 are needed: uint256 x");
});
