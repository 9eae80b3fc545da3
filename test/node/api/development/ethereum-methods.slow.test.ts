/** What Ethereum's tools ask beside the network's methods: the shape of transactions, the pool, raw bytes, signing without sending. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { BlockHeader, TransactionInfo } from "../../../../src/protocol/messages.js";
import { recoverAddress } from "../../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../../src/protocol/transaction.js";
import { DevelopmentNode, type Json, STORE, word } from "./development-node.js";

let chain: DevelopmentNode;
let from: string;
let to: string;
beforeAll(async () => {
	chain = await DevelopmentNode.start();
	[from, to] = [0, 1].map((index) => `0x${chain.account(index).hex.slice(2)}`) as [string, string];
});
afterAll(() => chain.stop());
beforeEach(async () => {
	await chain.result("dev_setSealing", ["instant"]);
	await chain.result("dev_reset");
});

const bytes = (value: unknown): Uint8Array => fromHex(String(value).slice(2));
const ask = async (method: string, ...params: unknown[]): Promise<Json> =>
	(await chain.result(method, params)) as Json;
const send = (value: string): Promise<unknown> => chain.result("eth_sendTransaction", [{ from, to, value }]);

/** Members of a transaction in Ethereum's schema: those of the form, and those of its place. */
const QUANTITY = expect.stringMatching(/^0x(0|[1-9a-f][0-9a-f]*)$/);
const LEGACY = {
	type: "0x0",
	nonce: QUANTITY,
	to: expect.stringMatching(/^0x[0-9a-f]{40}$/),
	gas: QUANTITY,
	gasPrice: QUANTITY,
	value: QUANTITY,
	input: expect.stringMatching(/^0x([0-9a-f]{2})*$/),
	v: QUANTITY,
	r: QUANTITY,
	s: QUANTITY,
	hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
	from: expect.stringMatching(/^0x[0-9a-f]{40}$/),
};

describe("a transaction", () => {
	it("has exactly the members of Ethereum's old form, of a block and while it waits", async () => {
		const hash = await send("0x7");
		const block = await ask("eth_getBlockByNumber", "latest", true);
		const place = {
			blockHash: block["hash"],
			blockNumber: block["number"],
			blockTimestamp: block["timestamp"],
			transactionIndex: "0x0",
		};
		expect(block["transactions"]).toEqual([{ ...LEGACY, ...place, value: "0x7" }]);
		expect(await ask("eth_getTransactionByHash", hash)).toEqual((block["transactions"] as Json[])[0]);
		await chain.result("dev_setSealing", ["manual"]);
		const nowhere = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null };
		expect(await ask("eth_getTransactionByHash", await send("0x8"))).toEqual({ ...LEGACY, ...nowhere });
	});

	it("has no zeros in front of its signature", async () => {
		let found: Json = {};
		// One of 128 signatures has a zero byte in front of either part.
		for (let value = 1; value < 2000 && !(String(found["r"]).length < 65); value++) {
			const { tx } = await ask("eth_signTransaction", { from, to, value });
			found = tx as Json;
			expect(found).toMatchObject({ r: QUANTITY, s: QUANTITY });
		}
		expect(String(found["r"]).length).toBeLessThan(65);
	});
});

it("tells its chain id in decimal in net_version", async () => {
	expect(await chain.result("net_version")).toBe(
		BigInt(String(await chain.result("eth_chainId"))).toString(),
	);
});

it("answers a filter of blocks with their ids", async () => {
	const id = await chain.result("eth_newBlockFilter");
	await chain.result("dev_mine", [{ blocks: 2 }]);
	const { hash, parentHash } = await ask("eth_getBlockByNumber", "latest", false);
	expect(await ask("eth_getFilterChanges", id)).toEqual([parentHash, hash]);
	expect(await ask("eth_getFilterChanges", id)).toEqual([]);
});

it("finds logs where null stands among topics", async () => {
	const store = await chain.deploy(STORE, word(1));
	await chain.trigger(store, "set(uint256,string)", `${word(2)}${word(64)}${word(0)}`);
	const [log] = (await chain.result("eth_getLogs", [{ fromBlock: "0x0" }])) as Json[];
	const topics = log?.["topics"] as string[];
	expect(topics.length).toBeGreaterThan(1);
	for (const wanted of [[null], [[null], topics[1]], [[word(9), null].map((one) => one && `0x${one}`)]]) {
		expect(await chain.result("eth_getLogs", [{ fromBlock: "0x0", topics: wanted }])).toEqual([log]);
	}
});

describe("the pool", () => {
	it("is shown by sender and place", async () => {
		expect(await ask("txpool_content")).toEqual({ pending: {}, queued: {} });
		await chain.result("dev_setSealing", ["manual"]);
		const hashes = [await send("0x1"), await send("0x2")];
		expect(await ask("txpool_status")).toEqual({ pending: "0x2", queued: "0x0" });
		const own = { 0: { ...LEGACY, hash: hashes[0], value: "0x1" }, 1: { hash: hashes[1], value: "0x2" } };
		expect(await ask("txpool_content")).toMatchObject({ pending: { [from]: own }, queued: {} });
		expect(await ask("txpool_contentFrom", from)).toMatchObject({ pending: own, queued: {} });
		expect(await ask("txpool_contentFrom", to)).toEqual({ pending: {}, queued: {} });
		expect(await ask("txpool_inspect")).toMatchObject({
			pending: { [from]: { 0: `${to}: 1 sun, fee limit 0 sun, 0 bytes of data` } },
		});
	});
});

describe("raw bytes", () => {
	it("are the network's", async () => {
		const hash = await send("0x5");
		const head = await ask("eth_getBlockByNumber", "latest", false);
		for (const selector of ["latest", "pending", head["number"], head["hash"]]) {
			const block = SignedBlock.decode(bytes(await chain.result("debug_getRawBlock", [selector])));
			expect(`0x${block.idHex}`).toBe(head["hash"]);
			const header = bytes(await chain.result("debug_getRawHeader", [selector]));
			expect(BlockHeader.decode(header)).toEqual(block.header);
			const receipts = (await chain.result("debug_getRawReceipts", [selector])) as string[];
			expect(receipts.map((one) => TransactionInfo.decode(bytes(one)).id)).toEqual([bytes(hash)]);
		}
		const raw = await chain.result("debug_getRawTransaction", [hash]);
		expect(`0x${SignedTransaction.decode(bytes(raw)).idHex}`).toBe(hash);
		expect(await chain.result("debug_getRawTransaction", [`0x${"00".repeat(32)}`])).toBe("0x");
		expect(await chain.result("debug_getBadBlocks")).toEqual([]);
	});

	it.each([
		["debug_getRawBlock", ["0xffffff"], "block not found"],
		["debug_getRawHeader", [`0x${"12".repeat(32)}`], "block not found"],
		["debug_getRawReceipts", ["soon"], "invalid block number"],
		["debug_getRawBlock", [], "method parameters invalid"],
		["debug_getRawTransaction", ["0x12"], "invalid hash value"],
		["txpool_contentFrom", ["0x12"], "invalid address"],
	])("%s %j: %s", async (method, params, message) => {
		expect((await chain.rpc(method, params)).error).toEqual({ code: -32602, message });
	});
});

describe("a transaction that isn't sent", () => {
	it("is filled in without a signature, and signed by an account of the chain", async () => {
		const call = { from, to, value: "0x9" };
		const filled = await ask("eth_fillTransaction", call);
		const unsigned = SignedTransaction.decode(bytes(filled["raw"]));
		expect(unsigned.message.signature).toEqual([]);
		expect(filled["tx"]).toMatchObject({ ...LEGACY, value: "0x9", r: "0x0", hash: `0x${unsigned.idHex}` });
		const { raw, tx } = await ask("eth_signTransaction", call);
		const signed = SignedTransaction.decode(bytes(raw));
		expect(tx).toMatchObject({ ...LEGACY, from, to, hash: `0x${signed.idHex}` });
		const [signature] = signed.message.signature;
		expect(Buffer.from(recoverAddress(signed.id, signature as Uint8Array)).toString("hex")).toBe(
			chain.account(0).hex,
		);
		expect(await chain.head()).toBe(1);
		const before = await chain.balance(chain.account(1).address);
		await chain.post("/wallet/broadcasthex", { transaction: String(raw).slice(2) });
		expect(await chain.balance(chain.account(1).address)).toBe(before + 9);
	});

	it("shows the code and the energy of a deployment", async () => {
		const code = `0x${STORE.bytecode.replace(/^0x/, "")}${word(3)}`;
		const { tx } = await ask("eth_fillTransaction", { from, data: code, gas: "0x186a0" });
		expect(tx).toMatchObject({ to: null, gas: "0x186a0", input: code });
	});

	it("needs a key of the chain to be signed", async () => {
		const call = { from: `0x${"12".repeat(20)}`, to, value: "0x1" };
		expect((await chain.rpc("eth_signTransaction", [call])).error).toMatchObject({
			code: -32602,
			message: expect.stringContaining("the chain has no key of"),
		});
	});
});

describe("hardhat", () => {
	const asHardhat = async (method: string, ...params: unknown[]): Promise<Json> => {
		const answer = await fetch(`${chain.url}/jsonrpc`, {
			method: "POST",
			headers: { "user-agent": "hardhat 2.29.1" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
		});
		return (await answer.json()) as Json;
	};

	it("takes the chain for one to test on, and everybody else for what it is", async () => {
		expect(await asHardhat("web3_clientVersion")).toEqual({
			jsonrpc: "2.0",
			id: 7,
			result: expect.stringMatching(/^anvil\/coin\/v4\./),
		});
		expect(await chain.result("web3_clientVersion")).not.toContain("anvil");
		expect(await asHardhat("eth_chainId")).toMatchObject({ id: 7, result: QUANTITY });
	});

	it("is refused what would fail, whatever gas it gives", async () => {
		const code = `0x${STORE.bytecode.replace(/^0x/, "")}${word(3)}`;
		const hash = String((await asHardhat("eth_sendTransaction", { from, data: code }))["result"]);
		const { contractAddress } = await ask("eth_getTransactionReceipt", hash);
		const wrong = { from, to: contractAddress, data: "0x12345678", gas: "0xffffff" };
		const head = await chain.head();
		expect(await asHardhat("eth_sendTransaction", wrong)).toMatchObject({
			id: 7,
			error: { message: expect.stringMatching(/^execution reverted/) },
		});
		expect(await chain.head()).toBe(head);
		expect(await chain.result("eth_sendTransaction", [wrong])).toMatch(/^0x/);
		const paid = await asHardhat("eth_sendTransaction", { from, to, value: "0x1", gas: "0xffffff" });
		expect(paid["result"]).toMatch(/^0x[0-9a-f]{64}$/);
	});
});
