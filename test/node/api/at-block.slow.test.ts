/** Queries of past states over every interface, on a node that keeps them and on one that doesn't. */

import { request } from "node:http";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { Account } from "../../../src/protocol/messages.js";
import { users } from "../chain/small-chain.js";
import { type PastChain, RUNTIME, startPastChain } from "./past-chain.js";

let kept: PastChain;
let without: PastChain;
beforeAll(async () => {
	kept = await startPastChain('node.history.state = "all"');
	without = await startPastChain("");
});
afterAll(() => Promise.all([kept.node.close(), without.node.close()]));

interface Sent {
	readonly text: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function post(port: number | undefined, path: string, body: unknown): Promise<Sent> {
	return new Promise((resolve, reject) => {
		const outgoing = request(
			{ host: "127.0.0.1", port, method: "POST", path, headers: { "Content-Type": "application/json" } },
			(incoming) => {
				const chunks: Uint8Array[] = [];
				incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
				incoming.on("end", () =>
					resolve({ text: Buffer.concat(chunks).toString(), headers: incoming.headers }),
				);
			},
		);
		outgoing.on("error", reject);
		outgoing.end(JSON.stringify(body));
	});
}

const wallet = async ({ node }: PastChain, name: string, body: object): Promise<Record<string, unknown>> =>
	JSON.parse((await post(node.ports.full, `/wallet/${name}`, body)).text) as Record<string, unknown>;

interface Reply {
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string };
}

async function rpc({ node }: PastChain, method: string, params: readonly unknown[]): Promise<Reply> {
	const { text } = await post(node.ports.jsonrpc, "/jsonrpc", { jsonrpc: "2.0", id: 1, method, params });
	return JSON.parse(text) as Reply;
}

const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");
const bare = (address: Uint8Array): string => `0x${toHex(address.subarray(1))}`;
const callOf = ({ contract }: PastChain) => ({
	from: bare(users[0] as Uint8Array),
	to: bare(contract),
	data: "0x",
});
/** What slot 0 holds after a block. */
const slotAt = (number: bigint): bigint => (number < 3n ? 0n : number > 14n ? 12n : number - 2n);
const BLOCKS = Array.from({ length: 21 }, (_, number) => BigInt(number));
const SINCE_DEPLOYED = BLOCKS.slice(2);

describe("JSON-RPC", () => {
	test("calls see number, time and storage of their block", async () => {
		for (const number of SINCE_DEPLOYED) {
			const time = (kept.times[Number(number)] as bigint) / 1000n;
			const expected = `0x${word(number)}${word(slotAt(number))}${word(time)}`;
			const { idHex } = kept.node.open.chain.blockByNumber(number) ?? {};
			for (const block of [
				hex(number),
				{ blockNumber: hex(number) },
				{ blockHash: `0x${idHex}`, requireCanonical: true },
			]) {
				expect([block, await rpc(kept, "eth_call", [callOf(kept), block])]).toEqual([
					block,
					expect.objectContaining({ result: expected }),
				]);
			}
		}
	});

	test("balances, code and storage are those of the block", async () => {
		const [account, contract] = [bare(users[1] as Uint8Array), bare(kept.contract)];
		for (const number of BLOCKS) {
			const block = hex(number);
			const balance = hex(kept.balances[Number(number)] as bigint);
			expect((await rpc(kept, "eth_getBalance", [account, block])).result).toBe(balance);
			const code = number < kept.deployed ? "0x" : `0x${RUNTIME}`;
			expect((await rpc(kept, "eth_getCode", [contract, block])).result).toBe(code);
			const slot = await rpc(kept, "eth_getStorageAt", [contract, "0x0", block]);
			expect([number, slot.result]).toEqual([number, `0x${word(slotAt(number))}`]);
		}
	});

	test("words name blocks", async () => {
		const solid = kept.node.open.chain.solidifiedNumber;
		const answer = async (block: string) =>
			(await rpc(kept, "eth_getBalance", [bare(users[1] as Uint8Array), block])).result;
		expect(await answer("earliest")).toBe(hex(kept.balances[0] as bigint));
		for (const tag of ["finalized", "safe"]) expect(await answer(tag)).toBe(await answer(hex(solid)));
		for (const tag of ["latest", "pending"]) expect(await answer(tag)).toBe(hex(kept.balances[20] as bigint));
	});

	test("estimates are made at a block, where one is named", async () => {
		const data = `0x${word(7)}`;
		const call = { ...callOf(kept), data };
		const at = async (...block: unknown[]) => (await rpc(kept, "eth_estimateGas", [call, ...block])).result;
		// Writing a slot that is zero costs more than changing it.
		expect(Number(await at(hex(2)))).toBeGreaterThan(Number(await at(hex(5))) + 10_000);
		expect(await at()).toBe(await at("latest"));
	});

	test.each([
		["0x15", "there is no block 21"],
		[{ blockNumber: "0x15" }, "header not found"],
		[{ blockHash: `0x${"00".repeat(32)}` }, "header for hash not found"],
	])("refuses %j", async (block, message) => {
		const { error } = await rpc(kept, "eth_call", [callOf(kept), block]);
		expect(error).toMatchObject({ code: -32000, message });
	});

	test("a node without history answers as the network's", async () => {
		const refused = { code: -32602, message: "QUANTITY not supported, just support TAG as latest" };
		const account = bare(users[1] as Uint8Array);
		expect((await rpc(without, "eth_getBalance", [account, "0x3"])).error).toMatchObject(refused);
		expect((await rpc(without, "eth_call", [callOf(without), "0x3"])).error).toMatchObject(refused);
		const head = await rpc(without, "eth_call", [callOf(without), "latest"]);
		expect((await rpc(without, "eth_call", [callOf(without), { blockNumber: "0x3" }])).result).toBe(
			head.result,
		);
		const { error } = await rpc(without, "eth_estimateGas", [callOf(without), "0x3"]);
		expect(error?.message).toBe("method parameters invalid");
	});
});

describe("HTTP", () => {
	const address = toHex(users[1] as Uint8Array);

	test("an account is that of the block, by number or id, in the body or the URL", async () => {
		for (const number of BLOCKS) {
			const balance = Number(kept.balances[Number(number)]);
			const { idHex } = kept.node.open.chain.blockByNumber(number) ?? {};
			for (const block of [Number(number), String(number), hex(number), idHex]) {
				expect(await wallet(kept, "getaccount", { address, block })).toMatchObject({ balance });
				expect(await wallet(kept, `getaccount?block=${block}`, { address })).toMatchObject({ balance });
			}
		}
	});

	test("a constant call runs at the block", async () => {
		const contract_address = toHex(kept.contract);
		const body = { owner_address: address, contract_address, data: "" };
		for (const number of [2n, 5n, 20n]) {
			const { constant_result } = await wallet(kept, "triggerconstantcontract", {
				...body,
				block: Number(number),
			});
			expect((constant_result as string[])[0]?.slice(0, 128)).toBe(`${word(number)}${word(slotAt(number))}`);
		}
		const before = await wallet(kept, "triggerconstantcontract", { ...body, block: 1 });
		expect(JSON.stringify(before)).toContain("CONTRACT_VALIDATE_ERROR");
	});

	test("the answer tells the block, and what it can't answer", async () => {
		const { headers } = await post(kept.node.ports.full, "/wallet/getaccount", { address, block: 4 });
		expect(headers["state-block"]).toBe("4");
		const plain = await post(kept.node.ports.full, "/wallet/getaccount", { address });
		expect(plain.headers).not.toHaveProperty("state-block");
		for (const [block, text] of [
			[21, "there is no block 21"],
			["x", "block is neither a number nor an id"],
			[{ a: 1 }, "block is neither a number nor an id"],
			["00".repeat(32), "the chain has no block of this id"],
			[-1, "block is neither a number nor an id"],
		]) {
			const answer = await wallet(kept, "getaccount", { address, block });
			expect(answer["Error"]).toContain(text);
		}
		expect(await wallet(kept, "getaccount", { address, block: "latest" })).toEqual(
			await wallet(kept, "getaccount", { address }),
		);
	});

	test("lists are those of the block", async () => {
		const listed = await wallet(kept, "listwitnesses", { block: 3 });
		expect((listed["witnesses"] as object[]).length).toBe(5);
		const parameters = await wallet(kept, "getnextmaintenancetime", { block: 0 });
		expect(parameters).toHaveProperty("num");
	});

	test("a node without history doesn't look at the member, as the network's", async () => {
		const answer = await post(without.node.ports.full, "/wallet/getaccount", { address, block: 4 });
		expect(JSON.parse(answer.text)).toMatchObject({ balance: Number(without.balances[20]) });
		expect(answer.headers).not.toHaveProperty("state-block");
	});
});

test("gRPC takes the block from the call's metadata", async () => {
	const asIs = (bytes: Buffer): Buffer => bytes;
	const request = Buffer.from(Account.encode(Account.create({ address: users[1] as Uint8Array })));
	const balanceAt = ({ node }: PastChain, block: string): Promise<bigint> => {
		const client = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure());
		const metadata = new Metadata();
		metadata.set("block", block);
		return new Promise<bigint>((resolve, reject) => {
			client.makeUnaryRequest(
				"/protocol.Wallet/GetAccount",
				asIs,
				asIs,
				request,
				metadata,
				(error, answer) => {
					if (error) reject(error);
					else resolve(Account.decode(answer ?? Buffer.alloc(0)).balance);
				},
			);
		}).finally(() => client.close());
	};
	for (const number of BLOCKS) {
		expect(await balanceAt(kept, String(number))).toBe(kept.balances[Number(number)]);
	}
	await expect(balanceAt(kept, "21")).rejects.toMatchObject({ code: 9, details: "there is no block 21" });
	expect(await balanceAt(without, "3")).toBe(without.balances[20]);
});
