/**
 * What the own test suite of the network's web library takes for granted of the runtime that it starts from: batches of
 * funded accounts, the producer's key, what is visible at once, texts of refusals (protocol/development-chain §6).
 */

import { TronWeb } from "tronweb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DevelopmentNode, type Json, STORE, word } from "./development-node.js";

const PRODUCER_KEY = "1".padStart(64, "0");
const PRODUCER = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const COIN = 1_000_000;

interface Batch {
	readonly keys: readonly string[];
	/** Base58. */
	readonly addresses: readonly string[];
	/** 21 bytes, hexadecimal. */
	readonly hex: readonly string[];
}

let chain: DevelopmentNode;
let web: TronWeb;
let batch: Batch;

beforeAll(async () => {
	chain = await DevelopmentNode.start();
	web = new TronWeb({ fullHost: chain.url, privateKey: PRODUCER_KEY });
	await web.fullNode.request("/admin/temporary-accounts-generation?accounts=100");
	const { more } = await web.fullNode.request<{ more: { privateKeys: string[] }[] }>("/admin/accounts-json");
	const keys = more.at(-1)?.privateKeys ?? [];
	const addresses = keys.map((key) => TronWeb.address.fromPrivateKey(key) as string);
	batch = { keys, addresses, hex: addresses.map((address) => TronWeb.address.toHex(address)) };
});
afterAll(() => chain.stop());

type Built = Awaited<ReturnType<TronWeb["transactionBuilder"]["sendTrx"]>>;

/** Signs and sends what the library built. @returns the node's answer */
async function send(built: Promise<unknown>, key = PRODUCER_KEY): Promise<Json> {
	const signed = await web.trx.sign((await built) as Built, key);
	return (await web.trx.sendRawTransaction(signed)) as unknown as Json;
}

/** The same for one that is taken. @returns its receipt by the solidity API */
async function act(built: Promise<unknown>, key = PRODUCER_KEY): Promise<Json> {
	const answer = await send(built, key);
	expect(answer).toMatchObject({ result: true });
	return (await web.trx.getTransactionInfo(String(answer["txid"]))) as unknown as Json;
}

/** Why the node refuses a transaction that the library built. */
async function refused(built: Promise<unknown>, key = PRODUCER_KEY): Promise<string> {
	return Buffer.from(String((await send(built, key))["message"]), "hex").toString();
}

/** The error of a promise, as text. */
async function refusal(promise: Promise<unknown>): Promise<string> {
	try {
		return `no error: ${JSON.stringify(await promise)}`;
	} catch (error) {
		const text = error instanceof Error ? error.message : String(error);
		return /^[0-9a-f]+$/.test(text) ? Buffer.from(text, "hex").toString() : text;
	}
}

const at = <T>(list: readonly T[], index: number): T => list[index] as T;

/** From the making of a token to the beginning of its sale, which no busy machine outlasts. */
const SALE_MS = 30_000;
/** How far the chain's clock is ahead. */
let aheadMs = 0;

/** Lets the time go by until a sale has begun. */
async function beginSale(): Promise<void> {
	aheadMs += SALE_MS + 1_000;
	const change = { method: "evm_increaseTime", params: [(SALE_MS + 1_000) / 1_000] };
	await web.fullNode.request("/tre", change, "post");
}

const tokenOptions = (name: string): never =>
	({
		name,
		abbreviation: "TKN",
		description: "a token",
		url: "https://token.example",
		totalSupply: 100_000_000,
		trxRatio: 10,
		tokenRatio: 2,
		saleStart: Date.now() + aheadMs + SALE_MS,
		saleEnd: Date.now() + aheadMs + 10 * SALE_MS,
		frozenAmount: 5,
		frozenDuration: 1,
		freeBandwidth: 100,
		freeBandwidthLimit: 1000,
	}) as never;

describe("the suite of the web library", () => {
	it("finds 100 accounts of 10,000 coins each", async () => {
		expect(batch.keys).toHaveLength(100);
		expect(await web.trx.getBalance(at(batch.addresses, 99))).toBe(10_000 * COIN);
	});

	it("finds both hosts connected, and blocks by name", async () => {
		expect(await web.isConnected()).toEqual({ fullNode: true, solidityNode: true, eventServer: true });
		const earliest = await web.trx.getBlock("earliest");
		expect(earliest.block_header.raw_data.parentHash).toMatch(/^957dc2d350da/);
		expect((await web.trx.getBlock("latest")).block_header.raw_data.number).toBeGreaterThan(0);
		expect((await web.trx.getCurrentRefBlockParams()).ref_block_bytes).toHaveLength(4);
		expect(await refusal(web.trx.getBlock(1_000_000))).toBe("Block not found");
		await web.fullNode.request("/tre", { jsonrpc: "2.0", method: "tre_mine", id: 1 }, "post");
		const { number } = (await web.trx.getCurrentBlock()).block_header.raw_data;
		expect(await refusal(web.trx.getTransactionFromBlock(number, 0))).toBe("Transaction not found in block");
	});

	it("sees at once what a transaction did, and has no fee for a plain one", async () => {
		const [from, to] = [at(batch.addresses, 0), at(batch.addresses, 1)];
		await act(web.transactionBuilder.sendTrx(to, 10, from), at(batch.keys, 0));
		expect(await web.trx.getBalance(from)).toBe(10_000 * COIN - 10);
		const built = await web.transactionBuilder.sendTrx(to, 10, from);
		await act(web.transactionBuilder.addUpdateData(built, "a memo"), at(batch.keys, 0));
		expect(await web.trx.getBalance(from)).toBe(10_000 * COIN - 20 - COIN);
		const longer = await web.transactionBuilder.sendTrx(to, 11, from);
		await act(web.transactionBuilder.extendExpiration(longer, 3600), at(batch.keys, 0));
	});

	it("issues tokens, and buys after a second or a block", async () => {
		const [issuer, buyer] = [at(batch.addresses, 2), at(batch.addresses, 3)];
		await act(web.transactionBuilder.createToken(tokenOptions("TokenOne"), issuer), at(batch.keys, 2));
		const tokens = (await web.trx.getTokensIssuedByAddress(issuer)) as unknown as Record<string, Json>;
		const id = String(tokens["TokenOne"]?.["id"]);
		await beginSale();
		await act(web.transactionBuilder.purchaseToken(issuer, id, 20, buyer), at(batch.keys, 3));
		await act(web.transactionBuilder.sendToken(at(batch.addresses, 4), 1, id, buyer), at(batch.keys, 3));
		expect(
			await refused(
				web.transactionBuilder.purchaseToken(at(batch.addresses, 4), id, 20, buyer),
				at(batch.keys, 3),
			),
		).toContain(`The asset is not issued by ${at(batch.hex, 4)}`);
		expect(
			await refused(web.transactionBuilder.purchaseToken(issuer, "1110000", 20, buyer), at(batch.keys, 3)),
		).toContain("No asset named ");
		await act(
			web.transactionBuilder.updateToken(
				{
					description: "other",
					url: "https://other.example",
					freeBandwidth: 10,
					freeBandwidthLimit: 100,
				} as never,
				issuer,
			),
			at(batch.keys, 2),
		);
		await act(web.transactionBuilder.createToken(tokenOptions("TokenOne"), buyer), at(batch.keys, 3));
	});

	it("buys once a block was sealed after the beginning of the sale", async () => {
		const [issuer, buyer] = [at(batch.addresses, 5), at(batch.addresses, 6)];
		await act(web.transactionBuilder.createToken(tokenOptions("TokenTwo"), issuer), at(batch.keys, 5));
		const tokens = (await web.trx.getTokensIssuedByAddress(issuer)) as unknown as Record<string, Json>;
		await beginSale();
		await web.fullNode.request("/tre", { method: "tre_mine" }, "post");
		const id = String(tokens["TokenTwo"]?.["id"]);
		await act(web.transactionBuilder.purchaseToken(issuer, id, 20, buyer), at(batch.keys, 6));
	});

	it("proposes by the producer's key, and is refused in the network's words", async () => {
		const propose = (by: string) => web.transactionBuilder.createProposal({ key: 0, value: 100_000 }, by);
		await act(propose(PRODUCER));
		const [proposal] = await web.trx.listProposals();
		const { proposal_id: id } = proposal as { proposal_id: number };
		await act(web.transactionBuilder.deleteProposal(id));
		expect(await refused(web.transactionBuilder.deleteProposal(id))).toContain(`Proposal[${id}] canceled`);
		expect(await refused(propose(at(batch.addresses, 7)), at(batch.keys, 7))).toContain(
			`Witness[${at(batch.hex, 7)}] not exists`,
		);
	});

	it("lets accounts become witnesses who neither produce nor stop the chain", async () => {
		const candidate = at(batch.addresses, 8);
		await act(web.transactionBuilder.applyForSR(candidate, "https://witness.example"), at(batch.keys, 8));
		expect(await chain.rpc("dev_setResources", [at(batch.addresses, 9), { votes: 10 }])).toMatchObject({
			error: { message: expect.stringContaining("allowNewResourceModel is off") },
		});
		await chain.result("dev_setResources", [at(batch.addresses, 9), { energySun: 10_000_000 }]);
		await act(
			web.transactionBuilder.vote({ [at(batch.hex, 8)]: 5 }, at(batch.addresses, 9)),
			at(batch.keys, 9),
		);
		const witnesses = await web.trx.getNowWitnessList({
			offset: 0,
			limit: 10,
			visible: true,
			confirmed: true,
		});
		expect(witnesses).toContainEqual(expect.objectContaining({ address: candidate, voteCount: 5 }));
		expect(witnesses[0]).toMatchObject({ address: PRODUCER, isJobs: true });
		await chain.result("dev_maintenance");
		await act(web.transactionBuilder.sendTrx(at(batch.addresses, 1), 13));
		const solid = await web.trx.getConfirmedCurrentBlock();
		expect(solid.block_header.raw_data.number).toBe(await chain.head());
		expect(await web.trx.getBrokerage(at(batch.hex, 0))).toBe(20);
		expect(await web.trx.getReward(at(batch.addresses, 0))).toBe(0);
	});

	it("acts by several keys, with the default active permission too", async () => {
		const [owner, key, other] = [at(batch.addresses, 11), at(batch.keys, 11), at(batch.keys, 12)];
		const byActive = web.transactionBuilder.sendTrx(at(batch.addresses, 1), 14, owner, { permissionId: 2 });
		const { raw_data } = await byActive;
		expect(raw_data.contract[0]?.Permission_id).toBe(2);
		await act(byActive, key);
		const keys = [11, 12].map((index) => ({ address: at(batch.hex, index), weight: 1 }));
		const permission = { threshold: 2, keys, permission_name: "owner" };
		const operations = "7fff1fc0033e0000000000000000000000000000000000000000000000000000";
		const active = { type: 2, threshold: 2, keys, permission_name: "active", operations };
		const before = await web.trx.getBalance(owner);
		await act(
			web.transactionBuilder.updateAccountPermissions(owner, { type: 0, ...permission } as never, undefined, [
				active,
			] as never),
			key,
		);
		expect(before - (await web.trx.getBalance(owner))).toBe(100 * COIN);
		const built = await web.transactionBuilder.freezeBalanceV2(COIN, "BANDWIDTH", owner);
		const once = await web.trx.multiSign(built, key, 0);
		expect((await web.trx.getSignWeight(once)).result.code).toBe("NOT_ENOUGH_PERMISSION");
		const twice = await web.trx.multiSign(once, other, 0);
		expect((await web.trx.getApprovedList(twice)).approved_list).toHaveLength(2);
		expect(await web.trx.broadcast(twice)).toMatchObject({ result: true });
	});

	it("reads events of contracts, and errors with their data", async () => {
		const [owner, key] = [at(batch.addresses, 13), at(batch.keys, 13)];
		const built = await web.transactionBuilder.createSmartContract(
			{ abi: STORE.abi, bytecode: STORE.bytecode, rawParameter: word(42) } as never,
			owner,
		);
		await act(Promise.resolve(built), key);
		const contract = web.contract(STORE.abi as never, built.contract_address);
		const id = (await contract["methods"]
			["set"]?.(7, "note")
			.send({ from: owner }, key)) as unknown as string;
		const { data } = await web.event.getEventsByTransactionID(id);
		expect(data?.[0]).toMatchObject({
			event_name: "Changed",
			result: { by: `0x${at(batch.hex, 13).slice(2)}`, value: "7", note: "note" },
		});
		const byContract = await web.event.getEventsByContractAddress(built.contract_address, {
			eventName: "Changed",
			orderBy: "block_timestamp,asc",
		});
		expect(byContract.data).toHaveLength(1);
		expect((await web.event.getEventsOfLatestBlock()).data).toHaveLength(1);
		const refused = web.transactionBuilder.triggerConstantContract(
			built.contract_address,
			"set(uint256,string)",
			{},
			[
				{ type: "uint256", value: 5000 },
				{ type: "string", value: "much" },
			],
			owner,
		);
		expect(await refusal(refused)).toContain("REVERT opcode executed");
	});

	it("withdraws unstaked coins after 65 seconds", async () => {
		const [owner, key] = [at(batch.addresses, 10), at(batch.keys, 10)];
		await act(web.transactionBuilder.freezeBalanceV2(100 * COIN, "ENERGY", owner), key);
		await act(web.transactionBuilder.unfreezeBalanceV2(10 * COIN, "ENERGY", owner), key);
		await chain.result("dev_increaseTime", [65_000]);
		const later = Date.now() + aheadMs + 200_000;
		expect(await web.trx.getCanWithdrawUnfreezeAmount(owner, later)).toEqual({ amount: 10 * COIN });
		await chain.result("dev_mine");
		const { withdraw_expire_amount } = await act(web.transactionBuilder.withdrawExpireUnfreeze(owner), key);
		expect(withdraw_expire_amount).toBe(10 * COIN);
	});

	it("takes a transaction that was built long before the next block", async () => {
		const built = await web.transactionBuilder.sendTrx(at(batch.addresses, 1), 12, at(batch.addresses, 0));
		await chain.result("dev_increaseTime", [70_000]);
		await act(Promise.resolve(built), at(batch.keys, 0));
	});
});
