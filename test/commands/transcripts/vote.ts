import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const [carol, producer] = [addressOf("carol"), addressOf("producer")];

export function voteTranscripts(chain: () => DevelopmentChain): void {
	describe("coin vote, reward and witness", () => {
		it("votes, adds votes, and shows them", async () => {
			await chain().acts("stake freeze 300coin --for votes --from carol");
			expect(await chain().acts("vote cast producer=100 --from carol")).toMatchObject({
				type: "VoteWitnessContract",
				votes: [{ witness: producer, votes: "100" }],
			});
			await chain().idles("vote cast producer=100 --from carol");
			const summary = await chain().prints("vote cast producer=20 --add --from carol --dry-run --text");
			expect(summary).toContain(`  votes now   100 for ${producer} (producer)\n`);
			await chain().acts("vote cast producer=20 --add --from carol");
			const shown = (await chain().value("vote show carol")) as { power: string };
			expect(shown).toMatchObject({
				account: carol,
				cast: "120",
				votes: [{ witness: producer, votes: "120" }],
			});
			expect(Number(shown.power)).toBeGreaterThanOrEqual(300);
			expect(await chain().prints("vote show dora")).toMatch(/\nvotes {4}none\n$/);
		});

		it("shows rewards, and says that there are none to withdraw", async () => {
			expect(await chain().value("reward show carol")).toEqual({ account: carol, reward: "0" });
			expect(await chain().prints("reward show carol")).toBe(`account  ${carol}\nreward   0coin\n`);
			expect(await chain().value("reward withdraw --from carol")).toEqual({
				state: "nothing to do",
				reason: "there is no reward to withdraw",
			});
			expect(await chain().prints("reward withdraw --from carol --text")).toBe(
				"nothing to do: there is no reward to withdraw\n",
			);
			expect(await chain().fails("reward withdraw --from carol --build", 1)).toMatchObject({
				message: "witnessAccount does not have any reward",
				retry: "changed",
			});
		});

		it("keeps rewards back for a day after a withdrawal, and says until when", async () => {
			expect(await chain().fails("reward withdraw --from producer", 1)).toMatchObject({
				message: expect.stringContaining("guard representative"),
			});
		});

		it("changes the page and the brokerage of a witness", async () => {
			await chain().acts("witness update https://page.example --from producer");
			await chain().idles("witness update https://page.example --from producer");
			expect(await chain().acts("witness set-brokerage 30 --from producer")).toMatchObject({
				type: "UpdateBrokerageContract",
			});
			expect(await chain().value("witness show producer")).toMatchObject({
				rank: 1,
				address: producer,
				current: true,
				missed: "0",
				brokerage: 20,
				url: "https://page.example",
			});
			expect(await chain().values("witness list --current")).toEqual([
				expect.objectContaining({ address: producer }),
			]);
			expect(await chain().prints("witness list")).toMatch(/^rank {2}address .*\n1 {5}T/);
			expect(await chain().value("witness show ann --or-null")).toBeNull();
		});

		it.concurrent.each<Refusal>([
			["vote cast", 2, { code: "usage" }],
			["vote cast producer", 2, { code: "bad_value" }],
			[
				"vote cast somebody=1",
				1,
				{
					code: "wallet_not_found",
					message: expect.stringMatching(/^no witness is known here as "somebody"/),
				},
			],
			[
				"vote cast producer=5 --from dora",
				1,
				{ message: expect.stringContaining("greater than the coinPower") },
			],
			[
				"vote cast bob=5 --from carol",
				1,
				{ message: expect.stringMatching(/^Witness\[T\w{33}\] not exists$/) },
			],
			["witness show ann", 1, { code: "not_found" }],
			["witness set-brokerage 101 --from producer", 2, { code: "bad_value" }],
			[
				"witness create https://page.example --from carol",
				1,
				{
					message: "the account has fewer coins than becoming a witness costs (balance < AccountUpgradeCost)",
					hint: expect.stringMatching(/^it costs \d+coin, and the account has [\d.]+coin$/),
				},
			],
			[
				"witness create https://page.example --from producer --yes",
				1,
				{ message: expect.stringContaining("has existed") },
			],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});
}
