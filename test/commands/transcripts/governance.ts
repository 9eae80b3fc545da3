import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const producer = addressOf("producer");

export function governanceTranscripts(chain: () => DevelopmentChain): void {
	describe("coin proposal", () => {
		it("proposes by name or number, approves, withdraws the approval, and cancels", async () => {
			const proposed = await chain().acts("proposal create MEMO_FEE=2_000_000 3=1000 --from producer");
			expect(proposed).toMatchObject({ type: "ProposalCreateContract", proposalId: "1" });
			await chain().acts("proposal approve 1 --from producer --yes");
			await chain().idles("proposal approve 1 --from producer");
			const open = {
				id: "1",
				state: "PENDING",
				proposer: producer,
				created: expect.any(String),
				expiration: expect.any(String),
				parameters: [
					{ id: "68", name: "MEMO_FEE", value: "2000000", about: "Sun for a transaction with a memo." },
					{
						id: "3",
						name: "TRANSACTION_FEE",
						value: "1000",
						about: expect.stringMatching(/^Sun for a byte/),
					},
				],
				approvals: [producer],
			};
			// Of one witness seven tenths are none.
			expect(await chain().value("proposal show 1")).toEqual({ ...open, approvalsNeeded: 0 });
			expect(await chain().prints("proposal show 1")).toContain("it takes effect without any");
			const listed = { ...open, parameters: open.parameters.map(({ about: _, ...rest }) => rest) };
			expect(await chain().values("proposal list --state pending")).toEqual([listed]);
			expect(await chain().values("proposal list --offset 0 --limit 5")).toEqual([listed]);
			await chain().acts("proposal approve 1 --withdraw --from producer --yes");
			await chain().idles("proposal approve 1 --withdraw --from producer");
			expect(await chain().acts("proposal delete 1 --from producer")).toMatchObject({ proposalId: "1" });
			await chain().idles("proposal delete 1 --from producer");
			expect(await chain().prints("proposal list")).toMatch(
				/\n1 {3}CANCELED .* 0 +MEMO_FEE=2000000, TRANSACTION_FEE=1000\n$/,
			);
			expect(await chain().values("proposal list --state approved")).toEqual([]);
		});

		it.concurrent.each<Refusal>([
			["proposal create", 2, { code: "usage" }],
			["proposal create MEMO_FEE=-1 --from producer", 2, { code: "bad_value", details: { id: "68" } }],
			["proposal create getMemoFee=1 68=2 --from producer", 2, { message: "MEMO_FEE is named twice" }],
			["proposal create MEMO_FEE=5", 1, { message: expect.stringMatching(/^Witness\[.*not exists$/) }],
			["proposal approve 1 --from producer --yes", 1, { message: "Proposal[1] canceled" }],
			["proposal show 9", 1, { code: "not_found" }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});

		it("needs agreement to approve without a terminal to ask on", async () => {
			await chain().acts("proposal create MEMO_FEE=3000000 --from producer");
			expect(await chain().fails("proposal approve 2 --from producer", 2)).toMatchObject({
				code: "confirmation_needed",
				sent: false,
			});
		});
	});

	describe("coin chain", () => {
		it("prints one plain value each", async () => {
			expect(await chain().value("chain id")).toMatch(/^0{16}[0-9a-f]{48}$/);
			const [head, solid] = [await chain().value("chain head"), await chain().value("chain solid")];
			expect(head).toMatch(/^[1-9]\d*$/);
			expect(solid).toBe(head);
			expect(await chain().prints("chain head")).toBe(`${String(head)}\n`);
			expect(await chain().value("chain burned")).toMatch(/^\d+$/);
			expect(await chain().prints("chain burned")).toMatch(/^[\d.]+coin\n$/);
			expect(await chain().value("chain maintenance")).toMatch(/^\d{13}$/);
			expect(await chain().prints("chain nodes")).toBe("no nodes\n");
		});

		it("lists parameters under every name that they have", async () => {
			expect(await chain().values("chain params MEMO_FEE getEnergyFee 3")).toEqual([
				{ id: "68", name: "getMemoFee", value: "1000000", about: "Sun for a transaction with a memo." },
				{
					id: "11",
					name: "getEnergyFee",
					value: "100",
					about: expect.stringMatching(/^Sun for a unit of energy/),
				},
				{ id: "3", name: "getTransactionFee", value: "10", about: expect.stringMatching(/^Sun for a byte/) },
			]);
			expect(await chain().values("chain params")).toHaveLength(79);
			expect(await chain().fails("chain params NOPE", 1)).toMatchObject({ code: "not_found" });
		});

		it("shows prices, their history, and fees", async () => {
			expect(await chain().value("chain prices")).toEqual({
				energy: "100",
				bandwidth: "10",
				memo: "1000000",
			});
			expect(await chain().values("chain prices --history")).toContainEqual({
				thing: "memo",
				since: "0",
				price: "1000000",
			});
			expect(await chain().value("chain fees")).toMatchObject({ tokenIssue: "1024000000", memo: "1000000" });
			expect(await chain().prints("chain fees")).toMatch(/\ntokenIssue +1024coin\n/);
		});
	});
}
