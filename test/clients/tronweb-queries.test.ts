import { TronWeb, type Types } from "tronweb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "./deployed-chain.js";
import { startTronWebChain, type TronWebChain } from "./tronweb-chain.js";

let chain: TronWebChain;
let ann: Person;
let bob: Person;
/** In block 2. */
let payment: string;

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people as [Person, Person];
	payment = (await chain.act(chain.web.transactionBuilder.sendTrx(bob.address, 5, ann.address))).id;
});
afterAll(() => chain.close());

/** The library as it is set up for servers of their own, or for the one port. */
const clients: readonly (readonly [string, () => TronWeb])[] = [
	["the one port", () => new TronWeb({ fullHost: chain.gateway, privateKey: ann.key })],
	[
		"the servers of a network's node",
		() => new TronWeb({ fullNode: chain.full, solidityNode: chain.solidity, privateKey: ann.key }),
	],
];

describe.each(clients)("at %s", (_, connect) => {
	it("the connection and the version are found", async () => {
		const web = connect();
		expect(await web.isConnected()).toMatchObject({ fullNode: true, solidityNode: true });
		await web.getFullnodeVersion();
		expect(web.fullnodeVersion).toBe("4.8.2");
		expect(web.fullnodeSatisfies(">=4.7.0")).toBe(true);
	});

	it("blocks are found by every name", async () => {
		const { trx } = connect();
		const head = await trx.getCurrentBlock();
		expect(head.block_header.raw_data.number).toBe(2);
		expect((await trx.getConfirmedCurrentBlock()).block_header.raw_data.number).toBe(2);
		for (const block of [
			await trx.getBlock("latest"),
			await trx.getBlock(2),
			await trx.getBlock(head.blockID),
			await trx.getBlockByHash(head.blockID),
			await trx.getBlockByNumber(2),
		])
			expect(block).toEqual(head);
		expect((await trx.getBlock("earliest")).block_header.raw_data.number).toBeUndefined();
		expect((await trx.getBlockRange(0, 2)).map(({ blockID }) => blockID).at(-1)).toBe(head.blockID);
		expect(await trx.getBlockTransactionCount(2)).toBe(1);
		expect((await trx.getTransactionsFromBlock(2)).map(({ txID }) => txID)).toEqual([payment]);
		expect((await trx.getTransactionFromBlock(2, 0)).txID).toBe(payment);
		await expect(trx.getBlock("ab".repeat(32))).rejects.toThrow("Block not found");
		await expect(trx.getBlock(99)).rejects.toThrow("Block not found");
		await expect(trx.getTransactionFromBlock(2, 5)).rejects.toThrow("Invalid transaction index provided");
	});

	it("transactions are found with their receipts", async () => {
		const { trx } = connect();
		const built = { txID: payment, ret: [{ contractRet: "SUCCESS" }] };
		expect(await trx.getTransaction(payment)).toMatchObject(built);
		expect(await trx.getConfirmedTransaction(payment)).toMatchObject(built);
		expect(await trx.getTransactionInfo(payment)).toMatchObject({ id: payment, blockNumber: 2 });
		expect(await trx.getUnconfirmedTransactionInfo(payment)).toMatchObject({ id: payment, blockNumber: 2 });
		await expect(trx.getTransaction("1".repeat(64))).rejects.toThrow("Transaction not found");
		expect(await trx.getTransactionInfo("1".repeat(64))).toEqual({});
		await expect(trx.getTransactionsRelated(ann.address, "all")).rejects.toThrow("not supported");
	});

	it("accounts have balances, resources and rewards", async () => {
		const { trx } = connect();
		expect(await trx.getBalance(bob.address)).toBe(1_000_000_000_005);
		expect(await trx.getUnconfirmedBalance(bob.hex)).toBe(1_000_000_000_005);
		expect(await trx.getAccount(bob.address)).toMatchObject({ address: bob.hex, balance: 1_000_000_000_005 });
		expect(await trx.getBandwidth(bob.address)).toBe(5_000);
		expect(await trx.getAccountResources(bob.address)).toMatchObject({ freeNetLimit: 5_000 });
		expect(await trx.getReward(chain.producer.address)).toBeTypeOf("number");
		expect(await trx.getBrokerage(chain.producer.address)).toBe(20);
		expect(await trx.getUnconfirmedBrokerage(chain.producer.address)).toBe(20);
		expect(await trx.getAvailableUnfreezeCount(bob.address, { confirmed: false })).toEqual({ count: 32 });
		expect(await trx.getCanDelegatedMaxSize(bob.address, "ENERGY", { confirmed: false })).toEqual({});
		expect(await trx.getCanWithdrawUnfreezeAmount(bob.address, 1, { confirmed: false })).toEqual({});
		const nobody = TronWeb.address.fromHex(`41${"77".repeat(20)}`);
		expect(await trx.getAccount(nobody)).toEqual({});
		expect(await trx.getBalance(nobody)).toBe(0);
	});

	it("the chain and the node describe themselves", async () => {
		const { trx } = connect();
		const [witness] = await trx.listSuperRepresentatives();
		expect(witness).toMatchObject({ address: chain.producer.hex, isJobs: true });
		expect(await trx.listTokens()).toEqual([]);
		expect(await trx.listExchanges()).toEqual([]);
		expect(await trx.listProposals()).toEqual([]);
		expect(await trx.getProposal(7)).toEqual({});
		expect(await trx.listNodes()).toEqual([]);
		const parameters = await trx.getChainParameters();
		expect(parameters).toContainEqual({ key: "getTransactionFee", value: 10 });
		expect(await trx.getBandwidthPrices()).toBe("0:10");
		expect(await trx.getEnergyPrices()).toBe("0:100");
		const { configNodeInfo, machineInfo, block } = await trx.getNodeInfo();
		expect(block).toContain("Num:2,ID:");
		expect(configNodeInfo.codeVersion).toBe("4.8.2");
		expect(machineInfo.cpuCount).toBeGreaterThan(0);
		expect(await trx.getCurrentRefBlockParams()).toMatchObject({ ref_block_bytes: "0002" });
	});
});

/** Messages that the node builds the same as the library does without a node. */
describe("transactions of the library and of the node", () => {
	const hex = (text: string): string => Buffer.from(text).toString("hex");
	type Same = readonly [endpoint: string, body: () => object];
	const rows: readonly Same[] = [
		["createtransaction", () => ({ to_address: bob.hex, amount: 12 })],
		["freezebalancev2", () => ({ frozen_balance: 2_000_000, resource: "ENERGY" })],
		["createaccount", () => ({ account_address: `41${"55".repeat(20)}` })],
		["updateaccount", () => ({ account_name: hex("ann") })],
		["setaccountid", () => ({ account_id: hex("identifier") })],
		["createwitness", () => ({ url: hex("https://x.example") })],
	];

	it.each(rows)("of %s are the same bytes", async (endpoint, body) => {
		const { web } = chain;
		const built = await web.fullNode.request<Types.Transaction>(
			`wallet/${endpoint}`,
			{ owner_address: ann.hex, ...body() },
			"post",
		);
		const { utils } = web;
		expect(utils.transaction.txCheck(built)).toBe(true);
		const [contract] = built.raw_data.contract;
		const read = utils.deserializeTx.deserializeTransaction(String(contract?.type), built.raw_data_hex);
		expect(utils.transaction.txCheck({ ...built, raw_data: read })).toBe(true);
	});
});

describe("signatures", () => {
	it("of messages and typed data are verified", async () => {
		const { trx } = chain.web;
		const text = await trx.signMessageV2("a message", ann.key);
		expect(await trx.verifyMessageV2("a message", text)).toBe(ann.address);
		const domain = { name: "coin", version: "1", chainId: "0x94a9059e" };
		const types = { Pay: [{ name: "to", type: "address" }] };
		const signature = trx.signTypedData(domain as never, types, { to: bob.address }, ann.key);
		expect(trx.verifyTypedData(domain as never, types, { to: bob.address }, signature, ann.address)).toBe(
			true,
		);
	});
});
