import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DevelopmentNode, STORE, setArguments, word } from "./development-node.js";

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
const stored = () => chain.read(store, "value()");

describe("a snapshot", () => {
	it("brings back blocks, receipts, state and the clock", async () => {
		const before = await chain.head();
		const id = await chain.result("dev_snapshot");
		const { txid } = await set(7);
		await chain.result("dev_increaseTime", [3_600_000]);
		expect(await chain.result("dev_revert", [id])).toBe(true);
		expect(await stored()).toBe(42n);
		expect(await chain.head()).toBe(before);
		expect(await chain.info(String(txid))).toEqual({});
		expect(await chain.result("dev_info")).toMatchObject({ clockOffsetMs: 0, snapshots: [] });
		expect(await chain.rpc("dev_revert", [id])).toMatchObject({ error: { code: -32602 } });
	});

	it("takes later ones with it, and leaves earlier ones", async () => {
		const first = await chain.result("evm_snapshot");
		const second = await chain.result("dev_snapshot");
		const third = await chain.result("tre_snapshot");
		await set(7);
		expect(await chain.result("evm_revert", [second])).toBe(true);
		expect(await chain.result("evm_revert", [third])).toBe(false);
		await set(8);
		expect(await chain.result("evm_revert", [first])).toBe(true);
		expect(await stored()).toBe(42n);
	});

	it("can be forgotten", async () => {
		const id = await chain.result("dev_snapshot");
		expect(await chain.result("dev_dropSnapshot", [id])).toBe(true);
		expect(await chain.result("evm_revert", [id])).toBe(false);
	});

	it("keeps what waits in the pool", async () => {
		await chain.result("dev_setSealing", ["manual"]);
		const payment = { to_address: chain.account(1).address, amount: 1_000_000 };
		expect(await chain.act("createtransaction", payment)).toMatchObject({ result: true });
		const id = await chain.result("dev_snapshot");
		await chain.result("dev_mine");
		await chain.result("dev_revert", [id]);
		expect(await chain.result("dev_dropTransaction")).toBe(1);
		await chain.result("dev_setSealing", ["instant"]);
	});

	it("undoes edits by hand, unlocked accounts and batches of accounts", async () => {
		const { address } = chain.account(1);
		const id = await chain.result("dev_snapshot");
		await chain.result("dev_setBalance", [address, 1]);
		await chain.result("dev_setStorageAt", [store, 0, 5]);
		await chain.result("dev_setParameter", ["energyFee", 7]);
		await chain.result("dev_impersonateAccount", [address]);
		await chain.get("/admin/temporary-accounts-generation?accounts=1");
		await chain.result("dev_revert", [id]);
		expect(await chain.balance(address)).toBe(10_000_000_000);
		expect(await stored()).toBe(42n);
		const { chainParameter } = await chain.post("/wallet/getchainparameters", {});
		expect(chainParameter).toContainEqual({ key: "getEnergyFee", value: 100 });
		expect(await chain.result("dev_info")).toMatchObject({ unlocked: [] });
		expect(await (await chain.get("/admin/accounts-json")).json()).toMatchObject({ more: [] });
	});

	it("takes logs of blocks that are gone back from those who follow them", async () => {
		const id = await chain.result("dev_snapshot");
		const filter = await chain.result("eth_newFilter", [{}]);
		await set(7);
		expect(await chain.result("eth_getFilterChanges", [filter])).toMatchObject([{ removed: false }]);
		await chain.result("dev_revert", [id]);
		expect(await chain.result("eth_getFilterChanges", [filter])).toMatchObject([{ removed: true }]);
	});
});

describe("a dump", () => {
	it.each([
		["dev_dumpState", "dev_loadState"],
		["anvil_dumpState", "anvil_loadState"],
	])("of %s brings the whole chain back after a reset", async (dumpMethod, loadMethod) => {
		await set(7);
		const dump = await chain.result(dumpMethod);
		await chain.result("dev_reset");
		expect(await chain.head()).toBe(1);
		expect(await chain.result(loadMethod, [dump])).toBe(true);
		expect(await stored()).toBe(7n);
		expect(await set(8)).toMatchObject({ result: true });
		expect(await stored()).toBe(8n);
	});

	it("that is none changes nothing", async () => {
		expect(await chain.rpc("dev_loadState", ["AAAA"])).toMatchObject({
			error: { message: expect.stringContaining("the dump can't be read") },
		});
		expect(await stored()).toBe(42n);
	});
});
