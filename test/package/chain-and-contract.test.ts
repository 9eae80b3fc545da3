/** A development chain and a contract in a program: what `coin/node` and `coin/wallet` give tests. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { type RunningDevelopmentChain, startDevelopmentChain } from "../../src/library/node.js";
import { fromHex, parseAddress } from "../../src/library/protocol.js";
import {
	callConstant,
	callInWords,
	callPlan,
	deploymentPlan,
	deployTyped,
	type Failure,
	interfaceOf,
	outputView,
	TypedContract,
	type TypedInterface,
	Wallet,
} from "../../src/library/wallet.js";
import { addressOf, DevelopmentChain } from "../commands/development-chain.js";

const artifact = JSON.parse(
	readFileSync(new URL("../commands/contracts/Store.json", import.meta.url), "utf8"),
);

let chain: RunningDevelopmentChain;
let wallet: Wallet;
beforeAll(async () => {
	chain = await startDevelopmentChain({ accounts: 2 });
	wallet = new Wallet({ node: chain.url, privateKey: chain.accounts[0]?.privateKey ?? "" });
});
afterAll(() => chain.stop());

test("a contract is deployed, called and read, and says why it refuses", async () => {
	const items = interfaceOf(artifact.abi);
	const actor = await wallet.actor();
	const plan = await deploymentPlan(actor, { code, abi: artifact.abi, arguments: ["42"], name: "Store" });
	const made = await (await wallet.perform(plan)).wait();
	const contract = parseAddress(String(made["contractAddress"])) as Uint8Array;

	const set = await callInWords(actor, contract, items, ["set", "7", "seven"]);
	const done = await (await wallet.perform(await callPlan(actor, set, { valueSun: 5n }))).wait();
	expect(done["logs"]).toMatchObject([
		{ event: "Changed", args: { by: wallet.address, value: 7n, note: "seven" } },
	]);

	const value = await callInWords(actor, contract, items, ["value"]);
	const { data } = await callConstant(wallet.client, { owner: actor.owner, contract, data: value.data });
	expect(await outputView(value.item, data)).toBe(7n);

	const refused = await callInWords(actor, contract, items, ["set", "5000", "much"]);
	const failure = await callPlan(actor, refused).catch((error: Failure) => error);
	expect(failure).toMatchObject({ code: "contract_revert" });
	expect((failure as Failure).message).toContain("TooLarge(5000, 1000)");
});

const PAIR = [
	{ name: "a", type: "uint256" },
	{ name: "who", type: "address" },
] as const;
const STORE = [
	{ type: "constructor", inputs: [{ name: "start", type: "uint256" }] },
	{
		type: "error",
		name: "TooLarge",
		inputs: [
			{ name: "given", type: "uint256" },
			{ name: "limit", type: "uint256" },
		],
	},
	{
		type: "event",
		name: "Changed",
		inputs: [
			{ name: "by", type: "address", indexed: true },
			{ name: "value", type: "uint256" },
			{ name: "note", type: "string" },
		],
	},
	{
		type: "function",
		name: "paid",
		inputs: [{ name: "", type: "address" }],
		outputs: [{ name: "", type: "uint256" }],
		stateMutability: "view",
	},
	{
		type: "function",
		name: "pairs",
		inputs: [],
		outputs: [
			{ name: "list", type: "tuple[]", components: PAIR },
			{ name: "ok", type: "bool" },
		],
		stateMutability: "view",
	},
	{
		type: "function",
		name: "set",
		inputs: [
			{ name: "next", type: "uint256" },
			{ name: "note", type: "string" },
		],
		outputs: [],
		stateMutability: "payable",
	},
	{
		type: "function",
		name: "value",
		inputs: [],
		outputs: [{ name: "", type: "uint256" }],
		stateMutability: "view",
	},
] as const;
const code = fromHex(`0x${String(artifact.bytecode).replace(/^0x/, "")}`);

test("a contract has the types of its interface", async () => {
	const store = await deployTyped(wallet, STORE, [42n], { code, name: "Store" });
	const value = await store.read("value", []);
	expectTypeOf(value).toEqualTypeOf<bigint>();
	expect(value).toBe(42n);

	const sent = await store.write("set", [7n, "seven"], { valueSun: 5n });
	expect((await sent.wait())["logs"]).toMatchObject([{ event: "Changed", args: { value: 7n } }]);
	expect(await store.read("paid", [wallet.address])).toBe(5n);
	expect(await store.estimate("set", [8n, "eight"])).toBeGreaterThan(1_000n);

	const pairs = await store.read("pairs", []);
	type Pair = { readonly a: bigint; readonly who: string };
	expectTypeOf(pairs).toEqualTypeOf<readonly [readonly Pair[], boolean]>();
	const [list, ok] = pairs;
	expect([list.map(({ who }) => who.length > 0), ok]).toEqual([list.map(() => true), expect.any(Boolean)]);

	const events = [];
	for await (const event of store.events("Changed")) events.push(event);
	expectTypeOf(events[0]?.args.value).toEqualTypeOf<bigint | undefined>();
	expect(events).toMatchObject([{ txID: sent.txID, args: { by: wallet.address, value: 7n, note: "seven" } }]);

	const refusal = expect.stringContaining("TooLarge(5000, 1000)");
	for (const refused of [
		() => store.write("set", [5_000n, "much"]),
		() => store.estimate("set", [5_000n, "much"]),
		() => store.read("set", [5_000n, "much"]),
	]) {
		await expect(refused()).rejects.toMatchObject({ code: "contract_revert", message: refusal });
	}
	await expect(store.write("set", [5_000n, "much"])).rejects.toMatchObject({ facts: { sent: false } });
	const text = { code: artifact.bytecode as never };
	await expect(deployTyped(wallet, artifact.abi as TypedInterface, [42n], text)).rejects.toMatchObject({
		code: "bad_value",
		facts: { sent: false },
	});
});

test("values that are none of their types are refused before anything is asked, by the compiler too", async () => {
	const nobody = new Wallet({ node: "http://127.0.0.1:1", privateKey: "11".repeat(32) });
	const store = new TypedContract(nobody, nobody.address, STORE);
	const paying = [
		{ type: "function", name: "pay", inputs: [{ name: "id", type: "orcToken" }], outputs: [] },
	] as const;
	type Paid = Parameters<TypedContract<typeof paying>["write"]>[1];
	expectTypeOf<Paid>().toEqualTypeOf<readonly [bigint]>();
	const listing = [
		{
			type: "function",
			name: "list",
			inputs: [
				{ type: "uint256[2][3]" },
				{ type: "bool[][2]" },
				{ type: "address[2][]" },
				{ type: "uint8[100]" },
				{ type: "tuple[1][2]", components: [{ name: "id", type: "bytes32" }] },
			],
			outputs: [],
		},
	] as const;
	type Pair<T> = readonly [T, T];
	type One = readonly [{ readonly id: string }];
	expectTypeOf<Parameters<TypedContract<typeof listing>["write"]>[1]>().toEqualTypeOf<
		readonly [
			readonly [Pair<bigint>, Pair<bigint>, Pair<bigint>],
			Pair<readonly boolean[]>,
			readonly Pair<string>[],
			readonly bigint[],
			Pair<One>,
		]
	>();
	// @ts-expect-error a number isn't a bigint
	const isNumber = (): unknown => store.write("set", [7, "seven"]);
	// @ts-expect-error one is missing
	const isMissing = (): unknown => store.write("set", [7n]);
	// @ts-expect-error there is no such function
	const isUnknown = (): unknown => store.read("total", []);
	for (const [refused, message] of [
		[isNumber, "next isn't a value of the type uint256"],
		[isMissing, "the interface has no function set with so many arguments"],
		[isUnknown, "the interface has no function total"],
		[() => store.write("set", [-1n, ""]), "next isn't a value of the type uint256"],
		[() => store.write("set", [1n, ""], { value: 5n } as never), 'the call has the unknown member "value"'],
		[() => store.read("value", [], { tokenID: 5n } as never), 'the call has the unknown member "tokenID"'],
		[() => store.write("set", [1n << 256n, ""]), "next isn't a value of the type uint256"],
		[() => store.read("paid", ["T123"]), "0 isn't a value of the type address"],
	] as const) {
		await expect(refused()).rejects.toMatchObject({ code: "bad_value", message });
	}
	const shapes: TypedInterface = [
		{
			type: "function",
			name: "put",
			inputs: [{ name: "pairs", type: "tuple[2]", components: PAIR }],
			outputs: [],
		},
		{ type: "function", name: "pay", inputs: [{ name: "id", type: "orcToken" }], outputs: [] },
		{ type: "function", name: "back", inputs: [{ name: "to", type: "function" }], outputs: [] },
		{ type: "function", name: "mark", inputs: [{ name: "tags", type: "bytes4[]" }], outputs: [] },
	];
	const loose = new TypedContract(nobody, nobody.address, shapes);
	const pair = { a: 1n, who: nobody.address };
	for (const [name, values, message] of [
		["pay", ["5"], "id isn't a value of the type orcToken"],
		["pay", [-1n], "id isn't a value of the type orcToken"],
		["back", ["0x00"], "to isn't a value of the type function"],
		["put", [[pair]], "pairs isn't a value of the type tuple[2]"],
		["put", [[pair, { a: 1n }]], "pairs[1].who isn't a value of the type address"],
		["mark", [["0x0102030405"]], "tags[0] isn't a value of the type bytes4"],
	] as const) {
		await expect(loose.write(name, values as never)).rejects.toMatchObject({ code: "bad_value", message });
	}
});

test("one of several functions of a name, with as many arguments, goes by its signature", async () => {
	const overloaded = [
		...STORE,
		{ type: "function", name: "paid", inputs: [{ name: "", type: "uint256" }], outputs: [] },
		{
			type: "function",
			name: "put",
			inputs: [{ name: "", type: "tuple[2]", components: PAIR }],
			outputs: [],
		},
		{ type: "event", name: "Changed", inputs: [{ name: "to", type: "bool", indexed: false }] },
	] as const;
	const { address } = await deployTyped(wallet, STORE, [42n], { code, name: "Store" });
	const store = new TypedContract(wallet, address, overloaded);
	const paid = await store.read("paid(address)", [wallet.address]);
	expectTypeOf(paid).toEqualTypeOf<bigint>();
	expect(paid).toBe(0n);
	await expect(store.read("paid", [wallet.address])).rejects.toMatchObject({
		message: "the interface has several functions paid with so many arguments",
		facts: { hint: "write the whole signature, such as paid(address)" },
	});
	const put = (): unknown =>
		store.write("put((uint256,address)[2])", [
			[
				{ a: 1n, who: "T1" },
				{ a: 1n, who: "T1" },
			],
		]);
	await expect(put()).rejects.toMatchObject({
		code: "bad_value",
		message: expect.stringContaining("[0].who"),
	});
	// @ts-expect-error no function has these types
	const isUnknown = (): unknown => store.read("paid(bool)", [true]);
	await expect(isUnknown()).rejects.toMatchObject({ message: "the interface has no function paid(bool)" });

	await (await store.write("set(uint256,string)", [7n, "seven"])).wait();
	const seen: unknown[] = [];
	for await (const { args } of store.events("Changed(address,uint256,string)")) {
		expectTypeOf(args.note).toEqualTypeOf<string>();
		seen.push(args.note);
	}
	expect(seen).toEqual(["seven"]);
	for await (const { args } of store.events("Changed(bool)")) seen.push(args.to);
	expect(seen).toHaveLength(1);
	await expect(store.events("Changed").next()).rejects.toMatchObject({
		message: "the interface has several events Changed",
	});
});

test("snapshots, blocks, the clock, balances and accounts that act unsigned", async () => {
	const before = await wallet.balanceSun();
	const id = await chain.snapshot();
	const [, other] = chain.accounts;
	await (await wallet.transfer({ to: other?.address ?? "", amount: "1coin" })).wait();
	expect(await wallet.balanceSun()).toBeLessThan(before);
	await chain.revert(id);
	expect(await wallet.balanceSun()).toBe(before);
	await expect(chain.revert(id)).rejects.toMatchObject({ code: "rpc_error" });

	const first = await chain.mine();
	await chain.increaseTime(3_600_000);
	const last = await chain.mine({ blocks: 2 });
	expect(last.number).toBe(first.number + 2n);
	expect(last.timestampMs - first.timestampMs).toBeGreaterThanOrEqual(3_600_000n);

	await chain.setBalance(other?.address ?? "", "5.5coin");
	expect(await wallet.balanceSun(other?.address ?? "")).toBe(5_500_000n);
	await expect(chain.setBalance(other?.address ?? "", "5")).rejects.toMatchObject({ code: "amount_unit" });

	const unlocked = async () => ((await chain.request("dev_info")) as { unlocked: string[] }).unlocked;
	const none = await unlocked();
	await chain.impersonate(other?.address ?? "");
	expect(await unlocked()).toHaveLength(none.length + 1);
	await chain.stopImpersonating(other?.address ?? "");
	expect(await unlocked()).toEqual(none);
});

test("a chain begins with the state of another one", async () => {
	const { data } = (await chain.request("dev_dumpState")) as { data: string };
	const second = await startDevelopmentChain({ accounts: 2, initialState: Buffer.from(data, "base64") });
	try {
		const same = new Wallet({ node: second.url, privateKey: chain.accounts[0]?.privateKey ?? "" });
		// It has deployed a contract there, and paid for that.
		expect(await same.balanceSun()).toBe(await wallet.balanceSun());
	} finally {
		await second.stop();
	}
});

test("a chain begins with the state of a node in another process", async () => {
	const source = await DevelopmentChain.start();
	// A fork asks its source on a thread, which the built program has.
	const built = (await import(pathToFileURL(resolve("dist/library/node.js")).href)) as {
		startDevelopmentChain: typeof startDevelopmentChain;
	};
	try {
		const both = { forkUrl: source.gateway, initialState: new Uint8Array(1) };
		await expect(built.startDevelopmentChain(both)).rejects.toMatchObject({ code: "usage" });
		const fork = await built.startDevelopmentChain({ accounts: 1, forkUrl: source.gateway });
		const there = new Wallet({ node: fork.url, privateKey: "11".repeat(32) });
		expect(await there.balanceSun(addressOf("ann"))).toBe(10_000_000_000n);
		await fork.stop();
	} finally {
		await source.stop();
	}
});
