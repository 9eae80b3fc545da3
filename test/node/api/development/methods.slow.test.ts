import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { sha256 } from "../../../../src/protocol/hash.js";
import { Transaction, TransactionRaw } from "../../../../src/protocol/messages.js";
import { sign } from "../../../../src/protocol/signature.js";
import { DevelopmentNode, type Json, STORE, setArguments, word } from "./development-node.js";

let chain: DevelopmentNode;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentNode.start();
});
afterAll(() => chain.stop());
beforeEach(async () => {
	await chain.result("dev_reset");
	store = await chain.deploy(STORE, word(42));
});

const set = (value: number) => chain.trigger(store, "set(uint256,string)", setArguments(value));
interface BlockAnswer {
	readonly block_header: { readonly raw_data: { readonly timestamp: number } };
}

const headTime = async (): Promise<number> =>
	((await chain.result("dev_info")) as { headTime: number }).headTime;

describe("edits of the state", () => {
	it("hold at once, without a block, for every view", async () => {
		const { address } = chain.account(1);
		const before = await chain.head();
		await chain.result("dev_setBalance", [address, "12500000"]);
		await chain.result("dev_setStorageAt", [store, "0x0", "0x4d"]);
		expect(await chain.balance(address)).toBe(12_500_000);
		expect(await chain.post("/walletsolidity/getaccount", { address, visible: true })).toMatchObject({
			balance: 12_500_000,
		});
		expect(await chain.read(store, "value()")).toBe(77n);
		expect(await chain.head()).toBe(before);
	});

	it("make a contract of an account, and take it back", async () => {
		const { address } = chain.account(1);
		// PUSH1 9 PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
		await chain.result("dev_setCode", [address, "0x600960005260206000f3"]);
		expect(await chain.read(address, "any()")).toBe(9n);
		expect(await chain.post("/wallet/getcontract", { value: address, visible: true })).toMatchObject({
			name: "Created",
			consume_user_resource_percent: 100,
		});
		await chain.result("dev_setCode", [address, "0x"]);
		expect(await chain.post("/wallet/getcontract", { value: address, visible: true })).toEqual({});
	});

	it("set stakes, permissions and token balances", async () => {
		const [bob, carol] = [chain.account(1).address, chain.account(2).address];
		await chain.result("dev_setResources", [bob, { energySun: 5_000_000 }]);
		const keys = [{ address: carol, weight: 1 }];
		const permission = { threshold: 1, keys };
		await chain.result("dev_setPermission", [bob, { owner: permission, actives: [permission] }]);
		expect(await chain.post("/wallet/getaccount", { address: bob, visible: true })).toMatchObject({
			frozenV2: expect.arrayContaining([{ type: "ENERGY", amount: 5_000_000 }]),
			owner_permission: { permission_name: "owner", threshold: 1, keys },
			active_permission: [{ id: 2, type: "Active", keys }],
		});
		expect(await chain.rpc("dev_setTokenBalance", [bob, 1, 5])).toMatchObject({
			error: { message: "there is no token 1" },
		});
	});

	it.each([
		["dev_setBalance", ["Tnonsense", 1], "base58 address decode error"],
		["dev_setBalance", ["0x12", 1], "invalid address"],
		["dev_setBalance", ["0".repeat(40), "many"], "integer decode error"],
		["dev_setBalance", ["0".repeat(40), -1], "balance can not be less than 0"],
		["dev_setBalance", ["0".repeat(40)], "method parameters invalid"],
		["dev_setCode", ["0".repeat(40), "6000"], "hex must begin with 0x"],
		["dev_setCode", ["0".repeat(40), "0x6"], "hex decode error"],
		[
			"dev_setStorageAt",
			["0".repeat(40), 0, `0x${"00".repeat(33)}`],
			"data word should not longer than 32 bytes",
		],
		["tre_blockTime", [61], "block time should between [0, 60] in second"],
		["tre_mine", [{ blocks: 101 }], "blocks should between (0, 100]"],
		["dev_revert", ["0x99"], "unknown snapshot id: 0x99"],
		["dev_setTime", [0], "timestamp must be > 0"],
		["dev_setTime", [1], "timestamp must be greater than the head block's"],
		["evm_setIntervalMining", [5], "ambiguous unit: use dev_setSealing"],
	])("%s %j is refused with the words that tools know", async (method, params, message) => {
		expect(await chain.rpc(method, params)).toMatchObject({ error: { code: -32602, message } });
	});
});

describe("blocks and time", () => {
	it("are sealed as many as asked for, with their distance", async () => {
		const before = await chain.head();
		const first = (await chain.result("dev_mine", [{ blocks: 1 }])) as Json;
		const last = (await chain.result("dev_mine", [{ blocks: 3, intervalMs: 3000 }])) as Json;
		expect(last["number"]).toBe(before + 4);
		expect(Number(last["timestampMs"]) - Number(first["timestampMs"])).toBeGreaterThanOrEqual(6000);
	});

	it("go on from a time that was asked for", async () => {
		const at = Date.now() + 86_400_000;
		await chain.result("dev_setNextBlockTimestamp", [at]);
		expect(await chain.result("dev_mine")).toMatchObject({ timestampMs: at });
		const next = (await chain.result("dev_mine")) as { timestampMs: number };
		expect(next.timestampMs - at).toBeLessThan(60_000);
	});

	it.each([
		["evm_increaseTime", [7200], 7200],
		["dev_increaseTime", ["7200000"], 7_200_000],
	])("%s moves the clock of the next block", async (method, params, answer) => {
		const before = await headTime();
		expect(await chain.result(method, params)).toBe(answer);
		await chain.result("evm_mine");
		expect(await headTime()).toBeGreaterThanOrEqual(before + 7_200_000);
	});

	it.each([
		["evm_increaseTime", ["9223372036854775807"]],
		["dev_increaseTime", ["9223372036854775807"]],
		["evm_setNextBlockTimestamp", ["9223372036854775807"]],
		["dev_setTime", ["8640000000000001"]],
		["evm_mine", [{ timestamp: "9223372036854775807" }]],
		["anvil_mine", [2, "9223372036854775807"]],
	])("%s refuses times that no date can be", async (method, params) => {
		const before = await headTime();
		expect((await chain.rpc(method, params)).error?.message).toBe(
			"timestamp must be at most 8640000000000000 ms",
		);
		expect(await headTime()).toBe(before);
	});

	it.each([
		["two minutes", 120_000],
		["three days", 3 * 86_400_000],
	])("let what was built side by side in after a pause of %s", async (_name, ms) => {
		const [from, to] = [chain.account(0), chain.account(1).address];
		const built = (amount: number): Promise<Json> =>
			chain.post("/wallet/createtransaction", {
				visible: true,
				owner_address: from.address,
				to_address: to,
				amount,
			});
		await chain.result("dev_increaseTime", [ms]);
		for (const transaction of [await built(1), await built(2)]) {
			expect(await chain.send(transaction, from)).toMatchObject({ result: true });
		}
		await chain.result("dev_increaseTime", [ms]);
		// What libraries count from when they build by themselves.
		const reference = async () => {
			const { block_header } = (await chain.post("/wallet/getblock", {
				detail: false,
			})) as unknown as BlockAnswer;
			return block_header.raw_data.timestamp;
		};
		const before = await chain.head();
		const time = await reference();
		expect(await reference()).toBe(time);
		expect(await chain.head()).toBe(before + 1);
		expect(await headTime()).toBe(time);
	});

	it("let a transaction in that lives for a day from now on", async () => {
		const from = chain.account(0);
		const to_address = chain.account(1).address;
		await chain.result("dev_increaseTime", [3_600_000]);
		const body = { visible: true, owner_address: from.address, to_address, amount: 1 };
		const built = await chain.post("/wallet/createtransaction", body);
		const raw = TransactionRaw.decode(fromHex(String(built["raw_data_hex"])));
		raw.expiration += 86_400_000n - 120_000n;
		const signature = [sign(sha256(TransactionRaw.encode(raw)), from.privateKey)];
		const transaction = toHex(Transaction.encode(Transaction.create({ raw_data: raw, signature })));
		expect(await chain.post("/wallet/broadcasthex", { transaction })).toMatchObject({ result: true });
	});

	it("perform a maintenance at the chain's time after a jump, so that what ended within it is over", async () => {
		await chain.result("dev_increaseTime", [100 * 3_600_000]);
		await chain.result("dev_maintenance");
		const next = (await chain.post("/wallet/getnextmaintenancetime", {}))["num"] as number;
		const rest = next - (await headTime());
		// Counted from the head before the jump, two hours of the six would be left.
		expect(rest).toBeGreaterThan(5.9 * 3_600_000);
		expect(rest).toBeLessThanOrEqual(6 * 3_600_000);
	});

	it("perform one maintenance, however many times for it have passed", async () => {
		const next = async () => (await chain.post("/wallet/getnextmaintenancetime", {}))["num"] as number;
		const before = await next();
		await chain.result("dev_increaseTime", [100 * 3_600_000]);
		await chain.result("dev_mine");
		expect(await next()).toBeGreaterThan(await headTime());
		expect(await next()).toBeGreaterThan(before);
		const later = await chain.head();
		expect(await chain.result("dev_maintenance")).toEqual({ number: later + 1 });
	});

	it("come at an interval, also empty ones, and stop with it", async () => {
		expect(await chain.result("tre_blockTime", [1])).toBe(true);
		const before = await chain.head();
		await expect.poll(() => chain.head()).toBeGreaterThan(before);
		expect(await chain.result("dev_sealing")).toBe(1);
		expect(await chain.result("tre_blockTime", [0])).toBe(true);
		expect(await chain.result("dev_sealing")).toBe("instant");
	});

	it("wait for their owner in manual mode", async () => {
		await chain.result("evm_setAutomine", [false]);
		const before = await chain.head();
		const { txid } = await set(7);
		expect(await chain.head()).toBe(before);
		expect(await chain.info(String(txid))).toEqual({});
		await chain.result("evm_setAutomine", [true]);
		expect(await chain.info(String(txid))).toMatchObject({ id: txid, blockNumber: before + 1 });
	});

	it("come until nothing waits, where one block may not hold everything", async () => {
		await chain.result("evm_setAutomine", [false]);
		const [ann, bob] = [chain.account(0), chain.account(1)];
		const before = await chain.head();
		const keys = [{ address: bob.address, weight: 1 }];
		const permission = { threshold: 1, keys, permission_name: "p" };
		const update = await chain.post("/wallet/accountpermissionupdate", {
			...{ visible: true, owner_address: bob.address, owner: { ...permission, type: 0 } },
			actives: [{ ...permission, type: 2, operations: `7fff1fc0033e${"00".repeat(26)}` }],
		});
		const body = { visible: true, owner_address: bob.address, to_address: ann.address, amount: 1 };
		expect(await chain.send(update, bob)).toMatchObject({ result: true });
		const paid = await chain.send(await chain.post("/wallet/createtransaction", body), bob);
		expect(paid).toMatchObject({ result: true });
		await chain.result("evm_setAutomine", [true]);
		expect(await chain.head()).toBe(before + 2);
		expect(await chain.info(String(paid["txid"]))).toMatchObject({ blockNumber: before + 2 });
	});
});

describe("an unsigned transaction", () => {
	it("counts for unlocked accounts alone, until that is taken back", async () => {
		const [ann, bob, carol] = [chain.account(0), chain.account(1), chain.account(2)];
		let sun = 1;
		const pay = async (from: string): Promise<Json> => {
			const body = { visible: true, owner_address: from, to_address: ann.address, amount: sun++ };
			return chain.send(await chain.post("/wallet/createtransaction", body), undefined);
		};
		expect(await pay(bob.address)).toMatchObject({ code: "SIGERROR" });
		await chain.result("tre_unlockedAccounts", [[bob.hex]]);
		expect(await pay(bob.address)).toMatchObject({ result: true });
		expect(await pay(carol.address)).toMatchObject({ code: "SIGERROR" });
		await chain.result("dev_stopImpersonatingAccount", [bob.address]);
		expect(await pay(bob.address)).toMatchObject({ code: "SIGERROR" });
		await chain.result("dev_autoImpersonate", [true]);
		expect(await pay(carol.address)).toMatchObject({ result: true });
		expect(await chain.rpc("dev_impersonateAccount", ["12".repeat(20)])).toMatchObject({
			error: { message: expect.stringContaining("does not exist") },
		});
	});
});

describe("a trace", () => {
	const trace = async (txid: unknown) =>
		(await chain.result("debug_traceTransaction", [`0x${String(txid)}`, {}])) as {
			structLogs: { op: string; gasCost: number }[];
		};

	it("has the members that debuggers read, in their order, and adds up to the receipt", async () => {
		const { txid } = await set(7);
		await set(8);
		const answer = await trace(txid);
		expect(Object.keys(answer)).toEqual(["failed", "gas", "structLogs", "returnValue"]);
		const [step] = answer.structLogs;
		expect(Object.keys(step as object)).toEqual(
			"depth error gas gasCost memory op pc stack storage".split(" "),
		);
		expect(step).toMatchObject({ gas: expect.stringMatching(/^0x[0-9a-f]{16}$/), pc: 0, stack: [] });
		const total = answer.structLogs.reduce((sum, { gasCost }) => sum + gasCost, 0);
		const { receipt } = await chain.info(String(txid));
		expect(receipt).toMatchObject({ energy_usage_total: total });
		expect(answer.structLogs.filter(({ op }) => op === "SSTORE")).toHaveLength(2);
	});

	it("of what can't be traced says why", async () => {
		expect(await chain.rpc("debug_traceTransaction", [`0x${"00".repeat(32)}`])).toMatchObject({
			error: { message: expect.stringContaining("is not in a block") },
		});
	});

	it("of storage lists the rows of one contract", async () => {
		await set(7);
		const params = [0, 0, store, "", 10];
		const { storage, nextKey } = (await chain.result("debug_storageRangeAt", params)) as Json;
		const rows = Object.values(storage as object) as { value: string }[];
		expect(rows.map(({ value }) => BigInt(`0x${value}`))).toContain(7n);
		expect(nextKey).toBeNull();
	});
});
