/** Who sends a call for the page: wallet extensions get what the node has built, and what they give back is looked at. */

import { describe, expect, test } from "vitest";
import { NodeClient } from "../../src/explorer/node-client.js";
import { developmentSenders, extensionSender } from "../../src/explorer/senders.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const ID = "ab".repeat(32);
const CALL = { contract: ADDRESS, data: "01020304", sun: 5n, feeLimitSun: 42_000n };

function room(answers: Readonly<Record<string, unknown>>, status = 200) {
	const asked: [string, unknown][] = [];
	const client = new NodeClient(async (path, { body }) => {
		asked.push([path, JSON.parse(body ?? "{}")]);
		const found = answers[path];
		return { status: found === undefined ? 404 : status, text: async () => JSON.stringify(found ?? {}) };
	});
	return { client, asked };
}

function injected(sign: (transaction: unknown) => Promise<unknown>, member = "tron") {
	return {
		[member]: {
			request: async () => [],
			tronWeb: { defaultAddress: { base58: ADDRESS }, trx: { sign } },
		},
	};
}

const built = { "/wallet/triggersmartcontract": { transaction: { txID: ID, raw_data: {} } } };

describe("a wallet extension", () => {
	test("signs what the node has built, and the node gets what it signed", async () => {
		const { client, asked } = room({ ...built, "/wallet/broadcasttransaction": { result: true } });
		for (const member of ["tron", "tronLink"]) {
			asked.length = 0;
			const page = injected(
				async (transaction) => ({ ...(transaction as object), signature: ["01"] }),
				member,
			);
			expect(await extensionSender(client, page)?.send(CALL)).toBe(ID);
			expect(asked).toEqual([
				[
					"/wallet/triggersmartcontract",
					{
						owner_address: "417e5f4552091a69125d5dfcb7b8c2659029395bdf",
						contract_address: "417e5f4552091a69125d5dfcb7b8c2659029395bdf",
						data: "01020304",
						call_value: 5,
						fee_limit: 42_000,
					},
				],
				["/wallet/broadcasttransaction", { txID: ID, raw_data: {}, signature: ["01"] }],
			]);
		}
	});

	test.each([
		["that signs something else", async () => ({ txID: "cd" }), "signed something else"],
		["that signs nothing", async () => false, "gave back no transaction"],
		["whose user says no", () => Promise.reject(new Error("no")), "refused: no"],
	])("%s sends nothing", async (_, sign, message) => {
		const { client, asked } = room(built);
		await expect(extensionSender(client, injected(sign))?.send(CALL)).rejects.toThrow(message);
		expect(asked.map(([path]) => path)).toEqual(["/wallet/triggersmartcontract"]);
	});

	test("is not there in a page without one, or with something else of its name", () => {
		const { client } = room({});
		for (const page of [{}, { tron: {} }, { tron: 5, tronLink: { request: 1 } }])
			expect(extensionSender(client, page)).toBeUndefined();
	});

	test("can't send through a server that passes nothing on", async () => {
		const { client } = room({});
		const sender = extensionSender(
			client,
			injected(async (transaction) => transaction),
		);
		await expect(sender?.send(CALL)).rejects.toThrow("open the page at the node itself");
	});

	test("hears why the node refuses", async () => {
		const refused = { result: false, code: "SIGERROR", message: "6e6f" };
		const { client } = room({ ...built, "/wallet/broadcasttransaction": refused });
		const sender = extensionSender(
			client,
			injected(async (transaction) => transaction),
		);
		await expect(sender?.send(CALL)).rejects.toThrow("no");
	});
});

test("accounts of a development chain send with energy for their fee limit", async () => {
	const asked: unknown[] = [];
	const results: Record<string, unknown> = {
		dev_accounts: [{ address: ADDRESS }],
		dev_info: { unlocked: ["T1"] },
	};
	const client = new NodeClient(async (path, { body }) => {
		const { method, params } = JSON.parse(body ?? "{}") as { method?: string; params?: unknown };
		if (method === "eth_sendTransaction") asked.push(params);
		const answer =
			path === "/jsonrpc"
				? { result: results[method ?? ""] ?? `0x${ID}` }
				: { chainParameter: [{ key: "getEnergyFee", value: 420 }] };
		return { status: 200, text: async () => JSON.stringify(answer) };
	});
	const [sender, impersonated] = await developmentSenders(client);
	expect(impersonated?.name).toBe("impersonated: T1");
	expect(await sender?.send(CALL)).toBe(ID);
	expect(asked).toEqual([
		[
			{
				from: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
				to: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
				data: "0x01020304",
				value: "0x5",
				gas: "0x64",
			},
		],
	]);
});
