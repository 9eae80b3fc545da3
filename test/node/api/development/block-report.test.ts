/** What the log of a development chain says of transactions. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { PROXY_SLOTS } from "../../../../src/abi/proxy.js";
import { fromBase58Check } from "../../../../src/protocol/address.js";
import { toHex, utf8 } from "../../../../src/protocol/bytes.js";
import { keccak256 } from "../../../../src/protocol/hash.js";
import { DevelopmentNode, type Json, STORE, setArguments, word } from "./development-node.js";

let chain: DevelopmentNode;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentNode.start();
	store = await chain.deploy(STORE, word(42));
});
afterAll(() => chain.stop());

const lines = (message = "transaction"): readonly Json[] =>
	chain.log.filter(([written]) => written === message).map(([, fields]) => fields);
/** What is logged of a transaction. */
const told = async (sent: Json): Promise<Json | undefined> => {
	const find = (): Json | undefined => lines().find(({ id }) => id === sent["txid"]);
	await expect.poll(find).toBeDefined();
	return find();
};

it("names the function by the stored interface, the parties, the result and the energy", async () => {
	const from = chain.account(0).address;
	const set = await chain.trigger(store, "set(uint256,string)", setArguments(7));
	expect(await told(set)).toEqual({
		id: set["txid"],
		type: "TriggerSmartContract",
		from,
		to: store,
		function: expect.stringMatching(/^set\(7, ".*"\)$/),
		result: "SUCCESS",
		fee: expect.stringMatching(/^[1-9]\d*$/),
		energy: expect.stringMatching(/^[1-9]\d*$/),
	});
	expect(lines()[0]).toMatchObject({ type: "CreateSmartContract", from, created: store, result: "SUCCESS" });
	const to = chain.account(1).address;
	const paid = await chain.act("createtransaction", { to_address: to, amount: 5 });
	expect(await told(paid)).toEqual({
		id: paid["txid"],
		type: "TransferContract",
		from,
		to,
		value: "5",
		result: "SUCCESS",
	});
});

it.each(["in its code", "in the slot of EIP-1967", "behind a beacon"])(
	"names the function by the interface behind a proxy: %s",
	async (place) => {
		const target = toHex((fromBase58Check(store) as Uint8Array).subarray(1));
		const code = `363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`;
		let proxy = chain.account(place === "behind a beacon" ? 7 : 6).address;
		if (place === "in its code") {
			proxy = await chain.deploy({ contractName: "", abi: [], bytecode: `3d602d80600a3d3981f3${code}` });
		} else {
			// Nothing is called: the slot alone says what is behind.
			await chain.result("dev_setCode", [proxy, "0x00"]);
			let [slot, inSlot] = [PROXY_SLOTS.implementation, target];
			if (place === "behind a beacon") {
				const beacon = {
					contractName: "",
					abi: [],
					bytecode: `3d601d80600a3d3981f373${target}60005260206000f3`,
				};
				[slot, inSlot] = [
					PROXY_SLOTS.beacon,
					toHex((fromBase58Check(await chain.deploy(beacon)) as Uint8Array).subarray(1)),
				];
			}
			await chain.result("dev_setStorageAt", [proxy, slot, `0x${word(BigInt(`0x${inSlot}`))}`]);
		}
		expect(await told(await chain.trigger(proxy, "set(uint256,string)", setArguments(7)))).toMatchObject({
			to: proxy,
			function: expect.stringMatching(/^set\(7, ".*"\)$/),
			result: "SUCCESS",
		});
	},
);

it("names a function with structs by the stored source, as the chain's record loses what structs hold", async () => {
	const input = { name: "order", type: "tuple" };
	const components = [
		{ name: "to", type: "address" },
		{ name: "amount", type: "uint256" },
	];
	const pay = { type: "function", name: "pay", stateMutability: "payable" };
	const abi = [{ ...pay, inputs: [input] }];
	// It stops at once, whatever is called.
	const shop = await chain.deploy({ contractName: "Shop", abi, bytecode: "60016000f3" });
	const from = chain.account(0).address;
	const call = () =>
		chain.trigger(
			shop,
			"pay((address,uint256))",
			`${chain.account(0).hex.slice(2).padStart(64, "0")}${word(5)}`,
		);
	expect(await told(await call())).toMatchObject({ function: expect.stringMatching(/^0x/) });
	const source = {
		contract: "Shop.sol:Shop",
		compiler: "0.8.37",
		match: "exact",
		language: "Solidity",
		settings: {},
		sources: {},
		abi: [{ ...pay, inputs: [{ ...input, components }] }],
	};
	const hex = toHex(fromBase58Check(shop) as Uint8Array);
	await chain.result("dev_setContractSource", [hex, JSON.stringify(source)]);
	expect(await told(await call())).toMatchObject({ function: `pay((to: ${from}, amount: 5))` });
});

/** Code that reverts with data: PUSH each word, MSTORE, REVERT. */
function reverting(data: string): string {
	const words = data.match(/.{1,64}/g) ?? [];
	const stores = words.map(
		(one, i) => `7f${one.padEnd(64, "0")}61${(i * 32).toString(16).padStart(4, "0")}52`,
	);
	return `0x${stores.join("")}61${(data.length / 2).toString(16).padStart(4, "0")}6000fd`;
}
/** Code that deploys other code. */
const deploying = (code: string): string =>
	`61${(code.length / 2).toString(16).padStart(4, "0")}80600d6000396000f3fe${code}`;
const FAILS = toHex(keccak256(utf8("Fails(uint256)")).subarray(0, 4));
const errorText = (text: string): string => {
	const bytes = Buffer.from(text).toString("hex");
	const length = Math.ceil(bytes.length / 64) * 64;
	return `08c379a0${word(32)}${word(bytes.length / 2)}${bytes.padEnd(length, "0")}`;
};

it.each([
	["a reason", errorText("no more\u001b[2J"), JSON.stringify("no more\u001b[2J")],
	["a long one", errorText("x".repeat(3000)), expect.stringMatching(/^"x{100,200}…?"?…?$/)],
	["a panic", `4e487b71${word(17)}`, "Panic(0x11)"],
	["an error without interface", "d503aa3c", "error 0xd503aa3c"],
	["nothing", "", "REVERT opcode executed"],
])("says why a call failed: %s", async (_, data, why) => {
	const { address } = chain.account(5);
	await chain.result("dev_setCode", [address, reverting(data)]);
	expect(await told(await chain.trigger(address, "go()", ""))).toMatchObject({
		function: "0x0f59f83a",
		result: "REVERT",
		why,
	});
});

it("names an error that bubbles up from another contract by that one's interface", async () => {
	// Fails(uint256), and code that calls it and reverts with what it returns.
	const inner = await chain.deploy({
		contractName: "Inner",
		abi: [{ type: "error", name: "Fails", inputs: [{ name: "by", type: "uint256" }] }],
		bytecode: deploying(reverting(`${FAILS}${word(7)}`).slice(2)),
	});
	const target = toHex((fromBase58Check(inner) as Uint8Array).subarray(1));
	const { address } = chain.account(8);
	await chain.result("dev_setCode", [address, `0x5f5f5f5f5f73${target}5af1503d5f5f3e3d5ffd`]);
	const why = "Fails(7)";
	expect(await told(await chain.trigger(address, "go()", ""))).toMatchObject({ result: "REVERT", why });
	const to = `0x${chain.account(8).hex.slice(2)}`;
	await chain.rpc("eth_call", [{ to, data: "0x0f59f83a" }, "latest"], "/jsonrpc");
	await expect
		.poll(() => lines("refused call"))
		.toContainEqual(expect.objectContaining({ to: address, why }));
});

it("tells of a call without effect that its contract refuses", async () => {
	const { address } = chain.account(5);
	await chain.result("dev_setCode", [address, reverting(errorText("not now"))]);
	const to = `0x${chain.account(5).hex.slice(2)}`;
	const from = `0x${chain.account(0).hex.slice(2)}`;
	await chain.rpc("eth_call", [{ from, to, data: "0x0f59f83a" }, "latest"], "/jsonrpc");
	await expect
		.poll(() => lines("refused call").at(-1))
		.toMatchObject({ to: address, function: "0x0f59f83a", why: '"not now"' });
});

it("tells of calls by nobody, and of what ends otherwise than by a refusal, but not of probes and an estimate's steps", async () => {
	const { address, hex } = chain.account(5);
	const call = { to: `0x${hex.slice(2)}`, data: "0x0f59f83a" };
	const before = lines("refused call").length;
	await chain.result("dev_setCode", [address, reverting("")]);
	await chain.rpc("eth_call", [{ ...call, data: "0x06fdde03" }, "latest"], "/jsonrpc");
	await chain.rpc("eth_call", [call, "latest"], "/jsonrpc");
	await chain.result("dev_setCode", [address, "0xfe"]);
	await chain.rpc("eth_estimateGas", [call], "/jsonrpc");
	await chain.result("dev_setCode", [address, "0x5b600056"]);
	await chain.rpc("eth_call", [call, "latest"], "/jsonrpc");
	await expect.poll(() => lines("refused call").length).toBe(before + 3);
	const nobody = { from: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", to: address, function: "0x0f59f83a" };
	expect(lines("refused call").slice(before)).toEqual([
		{ ...nobody, why: "no reason given" },
		{ ...nobody, why: expect.stringContaining("opCode[fe]") },
		{ ...nobody, why: expect.stringMatching(/^Not enough energy for/) },
	]);
	// It fails with less than 500,000 energy left, which it does not use.
	await chain.result("dev_setCode", [address, "0x5a6207a12010600a57fe5b00"]);
	const estimated = await chain.rpc("eth_estimateGas", [call], "/jsonrpc");
	expect(estimated.error).toBeUndefined();
	expect(lines("refused call")).toHaveLength(before + 3);
});

it("describes the first transactions of a block, and counts the others", async () => {
	await chain.result("dev_setSealing", ["manual"]);
	const from = `0x${chain.account(0).hex.slice(2)}`;
	const before = lines().length;
	for (let value = 1; value <= 60; value++) {
		await chain.result("eth_sendTransaction", [{ from, to: `0x${chain.account(1).hex.slice(2)}`, value }]);
	}
	await chain.result("dev_mine");
	await chain.result("dev_setSealing", ["instant"]);
	await expect.poll(() => lines("more of this block")).toEqual([{ transactions: 10 }]);
	expect(lines()).toHaveLength(before + 50);
});
