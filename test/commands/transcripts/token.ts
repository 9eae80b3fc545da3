import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";
import { tinyTokenCode } from "./tiny-token.js";

const [ann, bob] = [addressOf("ann"), addressOf("bob")];
const page = "https://apple.example";
const issue =
	"token issue --supply 1_000_000 --decimals 2 --price 1coin/100 --start 1s --end 30d --lock 1000:1 --url " +
	page;

export function tokenTranscripts(chain: () => DevelopmentChain): void {
	describe("coin token", () => {
		it("issues a token after agreement, and shows it under its id and its name", async () => {
			expect(await chain().fails(`${issue} --name Apple`, 2)).toMatchObject({ code: "confirmation_needed" });
			expect(await chain().prints(`${issue} --name Apple --dry-run --text`)).toContain(
				"  fee         1024coin\n",
			);
			expect(await chain().acts(`${issue} --name Apple --abbr APL --yes`)).toMatchObject({
				tokenId: "1000001",
				fee: "1024000000",
			});
			const token = {
				id: "1000001",
				name: "Apple",
				abbr: "APL",
				owner: ann,
				supply: "100000000",
				decimals: 2,
				price: { sun: 100, units: 1 },
				locked: [{ amount: "100000", days: "1" }],
				freeBandwidth: "0",
				url: page,
			};
			expect(await chain().value("token show Apple")).toMatchObject(token);
			expect(await chain().value("token show 1000001 --solidity")).toMatchObject(token);
			const text = await chain().prints("token show 1000001");
			expect(text).toMatch(/\nsupply +1000000\n.*\nprice +0.01coin\n/s);
			expect(await chain().values("token list")).toEqual([expect.objectContaining({ id: "1000001" })]);
			expect(await chain().values("token list --offset 1 --limit 5")).toEqual([]);
		});

		it("sells it, and prints balances in its decimals", async () => {
			// The sale begins a second after the issue, by the head's time.
			await chain().prints("dev time --add 1s");
			await chain().prints("dev mine");
			const bought = await chain().acts("token buy ann 10coin --from bob");
			expect(bought).toMatchObject({ to: ann, amount: "10000000", token: "1000001" });
			expect(await chain().prints("token balance Apple bob")).toBe("1000\n");
			expect(await chain().value("token balance 1000001 bob")).toBe("100000");
			expect(await chain().value("token balance 1000001 dora")).toBe("0");
			expect(await chain().fails("send carol 0.5@Apple --yes", 2)).toMatchObject({
				code: "confirmation_needed",
			});
			expect(await chain().prints("send carol 0.5@Apple --dry-run --text")).toContain(
				", 50 units by the node",
			);
		});

		it("changes what is named and keeps the rest", async () => {
			expect(await chain().prints("token update --free-bandwidth 1000 --dry-run --text")).toContain(
				`stays       page "${page}", as the node says`,
			);
			const updated = await chain().coin("token update --free-bandwidth 1000 --wait");
			expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('"result":"SUCCESS"') });
			// Nobody was asked, so nobody has seen it before.
			expect(updated.stderr).toContain(`because the node says that it is so: description "", page "${page}"`);
			await chain().idles("token update --free-bandwidth 1000", "token release --from dora");
			expect(await chain().value("token show Apple")).toMatchObject({ freeBandwidth: "1000", url: page });
		});

		it("tells tokens of the same name apart by their ids only", async () => {
			await chain().acts(`${issue} --name Apple --from bob --yes`);
			expect(await chain().fails("token show Apple", 1)).toMatchObject({
				code: "ambiguous",
				details: {
					candidates: [
						{ id: "1000001", owner: ann },
						{ id: "1000002", owner: bob },
					],
				},
			});
		});

		it("says when locked supply can be released", async () => {
			const due = expect.stringMatching(/^\d{13}$/);
			expect(await chain().value("token release")).toMatchObject({ state: "nothing to do", due });
			expect(await chain().fails("token release --build", 1)).toMatchObject({
				message: "It's not time to unfreeze asset supply",
				retry: "later",
				details: { due },
			});
		});

		it("describes, counts and allows tokens of a contract", async () => {
			const deployed = await chain().acts(`contract deploy --bin 0x${tinyTokenCode()} --name Tiny`);
			const contract = String(deployed["contractAddress"]);
			const token = { contract, name: "Tiny Token", symbol: "TNY", decimals: 6, supply: "1000000000000" };
			expect(await chain().value(`token show ${contract}`)).toEqual(token);
			expect(await chain().prints(`token balance ${contract}`)).toBe("1000000\n");
			expect(await chain().prints(`account balance --token ${contract}`)).toBe("1000000\n");
			await chain().prints(`contact add TNY ${contract}`);
			expect(await chain().value("account balance --token TNY")).toBe("1000000000000");
			expect(await chain().fails("token allow TNY bob 12.5TNY --yes", 2)).toMatchObject({
				code: "confirmation_needed",
				hint: expect.stringContaining("(--decimals 6), give smallest units (12500000raw)"),
			});
			expect(await chain().fails("token allow TNY bob 12.5TNY --decimals 2", 2)).toMatchObject({
				message: `the node says that the token ${contract} has 6 decimals, not 2`,
			});
			const allowed = await chain().acts("token allow TNY bob 12.5TNY --decimals 6");
			expect(allowed).toMatchObject({ contract, spender: bob, allowed: "12500000", returned: true });
			await chain().idles("token allow TNY bob 12.5TNY --decimals 6");
			const send = `contract send ${contract} approve(address,uint256) bob 12.5@TNY`;
			expect(await chain().fails(`${send} --yes`, 2)).toMatchObject({ code: "confirmation_needed" });
			await chain().acts(`${send} --decimals 6`);
			expect(await chain().prints(`token allowance ${contract} bob`)).toBe("12.5\n");
			expect(await chain().fails("token allow TNY bob 12.5@1000001", 2)).toMatchObject({ code: "bad_value" });
			expect(await chain().fails("wallet send --to bob --token TNY --amount 5GLD", 2)).toMatchObject({
				message: '"5GLD" is an amount of GLD, not of TNY',
			});
			expect(await chain().fails("wallet send --to bob --token GLD --amount 5", 1)).toMatchObject({
				code: "not_found",
				hint: expect.stringContaining("coin contact add GLD <contract>"),
			});
			await chain().prints("contact remove TNY");
			expect(Number(allowed["energy"])).toBeGreaterThan(0);
			expect(await chain().prints(`token allowance ${contract} bob`)).toBe("12.5\n");
			expect(await chain().fails(`token allow ${contract} bob max`, 2)).toMatchObject({
				code: "confirmation_needed",
			});
			await chain().acts(`token allow ${contract} bob max --yes --fee-limit 5coin`);
			expect(await chain().prints(`token allowance ${contract} bob`)).toBe("max\n");
			expect(await chain().fails(`token allow ${contract} bob 13raw`, 1)).toMatchObject({
				code: "contract_revert",
				message: "the contract refused the call: unlucky",
				sent: false,
			});
		});

		it.concurrent.each<Refusal>([
			["token show Nope", 1, { code: "not_found" }],
			[`token show ${ann}`, 1, { code: "not_found" }],
			["token update", 2, { code: "usage" }],
			["token update --url https://x.example --from dora", 1, { code: "not_found" }],
			["token buy ann 5coin", 1, { message: "Cannot participate asset Issue yourself !" }],
			[`${issue} --name Pear --decimals 7 --from carol`, 2, { code: "usage" }],
			[
				`${issue.replace("--start 1s", "--start 1h")} --name Pear`,
				1,
				{ message: "An account can only issue one asset" },
			],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});
}
