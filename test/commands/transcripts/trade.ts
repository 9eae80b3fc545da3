import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const ann = addressOf("ann");
const nobody = "ab".repeat(32);

/** Both begin with the token that the commands of tokens issued. */
export function tradeTranscripts(chain: () => DevelopmentChain): void {
	describe("coin exchange", () => {
		it("opens a pair, tells its price, and what a trade would bring", async () => {
			expect(await chain().acts("exchange create 1000001:5000 coin:100coin --trust-node")).toMatchObject({
				exchangeId: "1",
				fee: "1024000000",
			});
			expect(await chain().value("exchange show 1 --quote coin:5coin")).toMatchObject({
				id: "1",
				creator: ann,
				firstToken: "1000001",
				firstBalance: "500000",
				secondToken: "_",
				secondBalance: "100000000",
				closed: false,
				price: "0.02",
				quote: { token: "1000001", amount: "23809" },
			});
			expect(await chain().prints("exchange show 1")).toMatch(/\nsecondBalance +100coin\n/);
			const pairs = [expect.objectContaining({ id: "1" })];
			expect(await chain().values("exchange list")).toEqual(pairs);
			expect(await chain().values("exchange list --limit 3")).toEqual(pairs);
		});

		it("tells that the network refuses trades from block version 33 on", async () => {
			expect(await chain().fails("exchange trade 1 coin:5coin --from bob", 1)).toMatchObject({
				code: "contract_validate",
				message: "ExchangeTransactionContract is rejected",
				sent: "unknown",
			});
		});

		it("puts in and takes out both sides", async () => {
			expect(await chain().acts("exchange inject 1 coin:1coin")).toMatchObject({ otherAmount: "5000" });
			const plan = await chain().prints("exchange withdraw 1 1000001:10 --dry-run --text");
			expect(plan).toContain("  also gets   0.2coin\n");
			expect(await chain().fails("exchange withdraw 1 1000001:10 --yes", 2)).toMatchObject({
				code: "confirmation_needed",
				message: expect.stringContaining("only the node says that the token 1000001 has 2 decimals"),
			});
			await chain().acts("exchange withdraw 1 1000001:1000raw");
		});

		it.concurrent.each<Refusal>([
			["exchange create 1000001:5000 100coin", 2, { code: "bad_value" }],
			["exchange create 1000001:1raw 1000001:1raw", 1, { message: "cannot exchange same tokens" }],
			["exchange trade 9 coin:1coin", 1, { code: "not_found" }],
			["exchange trade 1 1000002:1 --from bob", 2, { code: "bad_value" }],
			[
				"exchange trade 1 coin:1coin --min 1000000 --trust-node",
				1,
				{ message: "token required must greater than expected" },
			],
			["exchange withdraw 1 coin:1coin --from bob", 1, { message: expect.stringMatching(/is not creator$/) }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});

	describe("coin market", () => {
		it("places, matches, lists and cancels orders", async () => {
			const dear = await chain().acts("market sell 1000001:1000raw --for coin:5coin");
			const cheap = await chain().acts("market sell 1000001:10APL --for coin:4coin --trust-node");
			const rows = [cheap, dear].map(({ orderId }) =>
				expect.objectContaining({ order: orderId, remains: "1000" }),
			);
			expect(await chain().values("market orders")).toEqual([...rows].reverse());
			expect(await chain().values("market orders --sells 1000001 --buys coin")).toEqual(rows);
			expect(await chain().values("market pairs")).toEqual([{ sells: "1000001", buys: "_" }]);
			expect(await chain().prints("market prices 1000001 coin")).toBe(
				"price  sellAmount  buyAmount\n0.4    1           4000\n0.5    1           5000\n",
			);
			expect(await chain().acts("market sell coin:4coin --for 1000001:1000raw --from bob")).toMatchObject({
				matches: [{ order: cheap["orderId"], paid: "4000000", received: "1000" }],
			});
			expect(await chain().value(`market order ${String(cheap["orderId"])}`)).toMatchObject({
				state: "INACTIVE",
				remains: "0",
				sellAmount: "1000",
				buys: "_",
			});
			await chain().acts(`market cancel ${String(dear["orderId"])}`);
			await chain().idles(`market cancel ${String(dear["orderId"])}`);
			expect(await chain().fails(`market cancel ${String(dear["orderId"])} --build`, 1)).toMatchObject({
				message: "Order is not active!",
			});
			expect(await chain().values("market orders")).toEqual([]);
		});

		it.concurrent.each<Refusal>([
			[
				"market sell 1000001:10XYZ --for coin:1coin",
				2,
				{ message: '"10XYZ" is an amount of XYZ, not of APL' },
			],
			[
				"market sell 1000001:1000raw --for coin:1coin --from dora",
				1,
				{ message: "SellToken balance is not enough !" },
			],
			["market order abc", 2, { code: "bad_value" }],
			[`market order ${nobody}`, 1, { code: "not_found" }],
			["market orders ann --sells 1000001 --buys coin", 2, { code: "conflicting_flags" }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});
}
