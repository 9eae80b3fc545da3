import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const [ann, bob] = [addressOf("ann"), addressOf("bob")];

export function stakeTranscripts(chain: () => DevelopmentChain): void {
	describe("coin stake", () => {
		it("stakes, delegates, takes back and unstakes, one line of JSON each", async () => {
			expect(await chain().acts("stake freeze 500coin --for energy")).toMatchObject({
				type: "FreezeBalanceV2Contract",
				from: ann,
				amount: "500000000",
			});
			await chain().acts("stake freeze 300_000_000sun --for Bandwidth");
			expect(await chain().acts("stake delegate 100coin --for energy --to bob --lock 3d")).toMatchObject({
				to: bob,
				amount: "100000000",
			});
			await chain().acts("stake delegate 50coin --for bandwidth --to bob");
			expect(await chain().acts("stake undelegate 10coin --for bandwidth --to bob")).toMatchObject({
				type: "UnDelegateResourceContract",
				amount: "10000000",
			});
			expect(await chain().acts("stake unfreeze 20coin --for energy")).toMatchObject({
				due: expect.stringMatching(/^\d{13}$/),
			});
		});

		it("shows all of it", async () => {
			expect(await chain().value("stake show")).toMatchObject({
				account: ann,
				staked: { bandwidth: "260000000", energy: "380000000" },
				delegated: { bandwidth: "40000000", energy: "100000000" },
				received: { bandwidth: "0", energy: "0" },
				unstaking: [{ amount: "20000000", resource: "energy", due: expect.stringMatching(/^\d{13}$/) }],
				withdrawable: "0",
				unstakesLeft: "31",
				delegatable: { energy: "380000000" },
			});
			expect(await chain().prints("stake show")).toMatch(
				/staked\n {2}bandwidth {2}260coin\n {2}energy {5}380coin\n/,
			);
			const delegations = [
				{ from: ann, to: bob, resource: "bandwidth", amount: "40000000", version: 2 },
				{
					from: ann,
					to: bob,
					resource: "energy",
					amount: "100000000",
					version: 2,
					lockedUntil: expect.any(String),
				},
			];
			expect(await chain().values("stake list")).toEqual(delegations);
			expect(await chain().values("stake list bob --solidity")).toEqual(delegations);
			expect(await chain().prints("stake list dora")).toBe("no delegations\n");
			expect(await chain().prints("stake max --for energy")).toBe("380coin\n");
			expect(await chain().value("stake max --for energy")).toBe("380000000");
		});

		it("has nothing to withdraw where nothing is unstaked", async () => {
			expect(await chain().prints("stake withdraw --from dora --text")).toBe(
				"nothing to do: no coins are being unstaked\n",
			);
			await chain().idles("stake cancel --from dora");
		});

		it("has nothing to withdraw before the delay is over, and says when that is", async () => {
			const due = expect.stringMatching(/^\d{13}$/);
			expect(await chain().value("stake withdraw")).toMatchObject({ state: "nothing to do", due });
			expect(await chain().prints("stake withdraw --text")).toMatch(
				/^nothing to do: the next coins can be withdrawn from \d/,
			);
			expect(await chain().fails("stake withdraw --build", 1)).toMatchObject({
				code: "contract_validate",
				retry: "later",
				details: { due },
			});
		});

		it("cancels unstaking, in words where they are asked for", async () => {
			expect(await chain().prints("stake cancel --wait --text")).toMatch(
				new RegExp(
					`^solid: ${ann} \\(ann\\) cancels all unstaking\n  transaction [0-9a-f]{64}\n  block       \\d+, SUCCESS\n` +
						"  cost        0coin, bandwidth \\d+\n  staked again 20coin \\(energy\\)\n$",
				),
			);
		});

		it.concurrent.each<Refusal>([
			["stake freeze 5 --for energy", 2, { code: "amount_unit", sent: false }],
			["stake freeze 5coin --for gas", 2, { code: "bad_value" }],
			["stake freeze 5coin", 2, { code: "usage" }],
			["stake delegate 5coin --for votes --to bob", 2, { code: "bad_value" }],
			[
				"stake freeze 50000coin --for energy",
				1,
				{ code: "contract_validate", node: { code: "ContractValidateException" }, sent: false },
			],
			["stake cancel --from dora --build", 1, { message: "No unfreezeV2 list to cancel" }],
			[
				"stake delegate bob 5coin",
				2,
				{ hint: expect.stringContaining("write coin stake delegate <amount> --for bandwidth|energy --to") },
			],
			["stake unfreeze-v1 --for energy", 1, { message: "no frozenBalance(Energy)" }],
			[
				"stake undelegate 1coin --for energy --to bob",
				1,
				{
					code: "contract_validate",
					message: expect.stringContaining("insufficient"),
					retry: "later",
					details: { due: expect.stringMatching(/^\d{13}$/) },
					hint: expect.stringContaining("the delegation is locked"),
				},
			],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});

		it("builds without a network, signs without one, and sends what was signed", async () => {
			const { blockID } = (await chain().value("block show head")) as { blockID: string };
			const number = BigInt(`0x${blockID.slice(0, 16)}`);
			const words =
				"stake freeze 3coin --for energy --from carol --offline --build --node http://127.0.0.1:1";
			const built = await chain().prints(
				`${words} --ref-block ${number}:${blockID} --expires @${Date.now() + 600_000}`,
			);
			const signed = await chain().coin("wallet sign --offline --signer carol", built);
			expect(signed.code).toBe(0);
			const sent = await chain().coin("wallet broadcast --wait", signed.stdout);
			expect(JSON.parse(sent.stdout)).toMatchObject({ state: "solid", type: "FreezeBalanceV2Contract" });
		});

		it("checks everything with --dry-run and signs nothing", async () => {
			const plan = JSON.parse(await chain().prints("stake freeze 1coin --for votes --dry-run")) as object;
			expect(plan).toMatchObject({
				type: "FreezeBalanceV2Contract",
				summary: `${ann} stakes 1coin for coin power`,
				sent: false,
			});
			expect(await chain().fails("stake freeze 90000coin --for votes --dry-run", 1)).toMatchObject({
				code: "contract_validate",
			});
		});
	});
}
