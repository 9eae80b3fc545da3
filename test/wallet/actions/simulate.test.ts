import { describe, expect, it } from "vitest";
import { FN_DSA_512 } from "../../../src/protocol/post-quantum/schemes.js";
import { failureOf, type SimulatedOutcome, simulate } from "../../../src/wallet/actions/simulate.js";
import type { Failure } from "../../../src/wallet/failure.js";
import { readJson } from "../../../src/wallet/json.js";
import { NodeClient, type NodeRequest } from "../../../src/wallet/node/node-client.js";
import type { TransactionEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { simulationLines } from "../../../src/wallet/view/simulation-view.js";

const ID = "ab".repeat(32);
const ANN = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const envelope = {
	transaction: { idHex: ID, rawBytes: Uint8Array.of(1, 2) },
} as unknown as TransactionEnvelope;

/** A node that answers every request with this. */
class Answering extends NodeClient {
	readonly asked: unknown[] = [];

	constructor(private readonly body: string) {
		super({ jsonrpc: "http://node.example/jsonrpc" } as never);
	}

	override async send(request: NodeRequest) {
		this.asked.push(readJson(request.body ?? ""));
		return { status: 200, headers: {}, body: Buffer.from(this.body) };
	}
}

const answered = (transaction: unknown): string =>
	JSON.stringify({ jsonrpc: "2.0", id: 1, result: [{ transactions: [transaction] }] });

describe("a transaction's simulation", () => {
	it("is asked for with as many bytes as its signatures will have", async () => {
		const client = new Answering(answered({ txID: ID, status: "success" }));
		expect(await simulate(client, envelope, 2)).toEqual({ status: "success", movements: [], changes: [] });
		const signature = ["00".repeat(65), "00".repeat(65)];
		expect(client.asked).toMatchObject([
			{
				method: "coin_simulate",
				params: [{ visible: true, blocks: [{ transactions: [{ raw_data_hex: "0102", signature }] }] }],
			},
		]);
	});

	it("has places of post-quantum signatures beside the others", async () => {
		const client = new Answering(answered({ txID: ID, status: "success" }));
		await simulate(client, envelope, 2, undefined, [FN_DSA_512]);
		const signature = ["00".repeat(65)];
		const pq_auth_sig = [{ scheme: "FN_DSA_512", public_key: "00".repeat(896), signature: "00".repeat(667) }];
		expect(client.asked).toMatchObject([
			{ params: [{ blocks: [{ transactions: [{ signature, pq_auth_sig }] }] }] },
		]);
	});

	it.each([
		["of another transaction", answered({ txID: "cd".repeat(32), status: "success" })],
		["of no known end", answered({ txID: ID, status: "perhaps" })],
		["of nothing", answered("x")],
		["that is no list", '{"jsonrpc":"2.0","id":1,"result":7}'],
		["that is an error", '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}'],
		["that is no JSON", "<html>"],
	])("is left away for an answer %s", async (_, body) => {
		expect(await simulate(new Answering(body), envelope, 1)).toBeUndefined();
	});

	it("keeps what can be read", async () => {
		const outcome = await simulate(
			new Answering(
				answered({
					txID: ID,
					status: "failed",
					error: { code: "REVERT", message: "REVERT opcode executed", reason: "no" },
					receipt: { fee: 7, receipt: { energy_usage_total: 12 } },
					movements: [
						{ asset: "coin", from: ANN, to: null, amount: "5" },
						{ asset: "coin", amount: "-5" },
						"x",
					],
					changes: [
						{ address: ANN, exists: { before: false, after: true } },
						{
							address: ANN,
							balance: { before: "9", after: "4" },
							tokens: { "1000001": { before: "1", after: "3" } },
							storage: { "00": {} },
							codeHash: {},
							votes: {},
						},
					],
				}),
			),
			envelope,
			1,
		);
		expect(outcome).toMatchObject({ energy: 12n, feeSun: 7n, movements: [{ amount: 5n, to: null }] });
		expect(await simulationLines(new Answering(""), outcome as SimulatedOutcome)).toEqual([
			"  outcome     failed: no, 12 energy, fee 0.000007coin",
			`  moves       0.000005coin from ${ANN}`,
			`  changes     ${ANN}: is created`,
			`              ${ANN}: balance -0.000005coin, token 1000001 +2, 1 slot of storage, code, votes`,
		]);
		expect(failureOf(outcome as SimulatedOutcome)).toMatchObject({
			code: "contract_revert",
			message: "the transaction would fail: no",
		});
	});

	it("that no block takes is told by its cause", () => {
		const refused = (message: string): Failure | undefined =>
			failureOf({ status: "refused", error: { code: "", message }, movements: [], changes: [] });
		expect(refused("Validate TransferContract error, balance is not sufficient.")).toMatchObject({
			code: "insufficient_funds",
			message:
				"the transaction would be refused: the account has fewer coins than this takes (balance is not sufficient)",
		});
		expect(refused("Invalid toAddress!")).toMatchObject({ code: "contract_validate" });
		expect(failureOf({ status: "success", movements: [], changes: [] })).toBeUndefined();
	});

	it("shows no more than fits a screen", async () => {
		const movements = Array.from({ length: 25 }, () => ({
			asset: "coin",
			from: ANN,
			to: null,
			amount: 1n,
		}));
		const lines = await simulationLines(new Answering(""), { status: "success", movements, changes: [] });
		expect(lines).toHaveLength(22);
		expect(lines.at(-1)).toBe("              and 5 more");
	});
});
