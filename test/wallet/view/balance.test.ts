import { describe, expect, it } from "vitest";
import { balanceAt } from "../../../src/commands/account/queries.js";
import { readJson } from "../../../src/wallet/json.js";
import { NodeClient, type NodeRequest } from "../../../src/wallet/node/node-client.js";

const address = new Uint8Array(21).fill(0x41);
const block = { number: 7n, id: new Uint8Array(32).fill(7) };

/** A node that answers endpoints so. */
class Answering extends NodeClient {
	readonly asked: unknown[] = [];

	constructor(private readonly answers: Readonly<Record<string, string>>) {
		super({ http: "http://node.example", dialect: "neutral" } as never);
	}

	override async send({ url, body }: NodeRequest) {
		const endpoint = new URL(url).pathname.split("/").at(-1) ?? "";
		this.asked.push([endpoint, readJson(body ?? "")]);
		return { status: 200, headers: {}, body: Buffer.from(this.answers[endpoint] ?? "{}") };
	}
}

const account = '{"balance":5,"block_identifier":{"number":0}}';

describe("a balance of a past block", () => {
	it("is what a node with the history of balances answers", async () => {
		const client = new Answering({ getblockbalance: '{"timestamp":1}', getaccountbalance: account });
		expect(await balanceAt(client, address, block)).toBe(5n);
		expect(client.asked).toMatchObject([
			["getblockbalance", { hash: "07".repeat(32) }],
			["getaccountbalance", { account_identifier: { address: "41".repeat(21) } }],
		]);
	});

	it("is not the genesis block's, nor 0, where the node kept no history of the block", async () => {
		const missing = '{"Error":"class ItemNotFoundException : This block does not exist"}';
		for (const getaccountbalance of [account, "{}"]) {
			const client = new Answering({ getblockbalance: missing, getaccountbalance });
			await expect(balanceAt(client, address, block)).rejects.toThrow("This block does not exist");
		}
	});
});
