import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const [ann, bob] = [addressOf("ann"), addressOf("bob")];
const fresh = "TKEH31jJ2YQ3Bteh1ngjwdT8667ztyYPSp";

export function accountTranscripts(chain: () => DevelopmentChain): void {
	describe("coin account", () => {
		it("creates an account, and gives one's own a name and an id", async () => {
			const summary = await chain().prints(`account create ${fresh} --dry-run --text`);
			expect(summary).toContain(`${ann} (ann) creates the account ${fresh}`);
			expect(await chain().acts(`account create ${fresh}`)).toMatchObject({ from: ann, to: fresh });
			await chain().acts(["account", "rename", "Ann and Co"]);
			await chain().acts("account set-id ann-and-co");
			await chain().idles(`account create ${fresh}`, "account set-id ann-and-co");
			expect(await chain().prints(["account", "rename", "Ann and Co", "--text"])).toMatch(/^nothing to do: /);
			expect(await chain().value("account show")).toMatchObject({ name: "Ann and Co", id: "ann-and-co" });
		});

		it("tells a first payment from later ones by the node's history", async () => {
			const isFirst = async (to: string): Promise<boolean> =>
				(await chain().prints(`send ${to} 1coin --dry-run --text`)).includes("first payment to this address");
			expect([await isFirst("dora"), await isFirst(fresh)]).toEqual([true, false]);
		});

		it("shows resources as they are used", async () => {
			const { bandwidth, energy } = (await chain().value("account resources")) as {
				readonly bandwidth: Readonly<Record<string, string>>;
				readonly energy: object;
			};
			expect(Number(bandwidth["freeUsed"])).toBeGreaterThan(400);
			expect(Number(bandwidth["available"])).toBe(5000 - Number(bandwidth["freeUsed"]));
			expect(energy).toEqual({ staked: "0", used: "0", available: "0" });
			expect(await chain().prints("account resources bob")).toMatch(/^bandwidth\n {2}free {7}5000\n/);
		});

		it("lists delegations and tokens", async () => {
			expect(await chain().prints("account tokens")).toBe("no tokens\n");
			expect(await chain().prints("account delegated")).toBe("no delegations\n");
			await chain().acts("stake freeze 100coin --for energy");
			await chain().acts("stake delegate 40coin --for energy --to bob");
			const delegation = { from: ann, to: bob, resource: "energy", amount: "40000000", version: 2 };
			expect(await chain().values("account delegated ann --to bob")).toEqual([delegation]);
			expect(await chain().values("account delegated ann --to carol")).toEqual([]);
			expect(await chain().values("account delegated bob --from-others")).toEqual([delegation]);
		});

		it("finds the address behind a label or another form", async () => {
			for (const name of ["bob", bob, `0x${toHex((parseAddress(bob) as Uint8Array).subarray(1))}`]) {
				expect(await chain().prints(["account", "resolve", name])).toBe(`${bob}\n`);
			}
		});

		it.concurrent.each<Refusal>([
			[`account create ${fresh.slice(0, -1)}q`, 2, { code: "bad_address", sent: false }],
			["account create bob --build", 1, { code: "contract_validate", sent: false }],
			["account set-id short", 1, { code: "contract_validate", sent: false }],
			["account resolve nobody", 1, { code: "wallet_not_found" }],
			["account resources TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HX", 2, { code: "bad_address" }],
			["account delegated ann --to bob --from-others", 2, { code: "usage" }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});

	describe("coin block and tx", () => {
		it("finds the block of a time", async () => {
			const head = (await chain().value("block show head --header")) as { number: string; timestamp: string };
			expect(await chain().value(`block find --time @${head.timestamp}`)).toBe(head.number);
			const before = `block find --time @${BigInt(head.timestamp) - 1n}`;
			expect(await chain().value(before)).toBe(String(Number(head.number) - 1));
			expect(await chain().prints("block find --time 1970-01-02T00:00:00Z")).toBe("0\n");
			expect(await chain().fails("block find --time soon", 2)).toMatchObject({ code: "bad_value" });
		});

		it("follows blocks until nobody reads any more", async () => {
			const { child, outcome } = chain().begin("block follow --from 1 --header");
			const lines = await new Promise<string[]>((resolve) => {
				let text = "";
				child.stdout?.on("data", (chunk: string) => {
					text += chunk;
					if (text.split("\n").length > 3) resolve(text.split("\n").slice(0, 3));
				});
			});
			child.kill("SIGINT");
			expect(await outcome).toMatchObject({ code: 130, stderr: "" });
			const numbers = lines.map((line) => (JSON.parse(line) as { number: string }).number);
			expect(numbers).toEqual(["1", "2", "3"]);
		});

		it("shows what waits for a block", async () => {
			expect(await chain().prints("tx pending")).toBe("no transactions wait\n");
			expect(await chain().values("tx pending")).toEqual([]);
			expect(await chain().value("tx pending --count")).toBe(0);
			expect(await chain().fails(`tx pending ${"ab".repeat(32)}`, 1)).toMatchObject({ code: "not_found" });
		});
	});

	describe("coin wallet build", () => {
		it("builds any type from its body, and names the fields of a type", async () => {
			const fields = await chain().prints("wallet build TransferContract");
			expect(JSON.parse(fields)).toContainEqual(
				expect.objectContaining({ name: "to_address", type: "bytes" }),
			);
			const body = `{"to_address":"${bob}","amount":1000000}`;
			const built = await chain().prints(["wallet", "build", "TransferContract", "--data", body]);
			expect(JSON.parse(built)).toMatchObject({
				coin: { account: ann, summary: `1coin from ${ann} to ${bob}`, ready: false },
			});
			const sent = await chain().coin("wallet sign", built);
			expect(JSON.parse((await chain().coin("wallet broadcast --wait", sent.stdout)).stdout)).toMatchObject({
				state: "solid",
				amount: "1000000",
			});
			expect(await chain().fails("wallet build Nothing", 2)).toMatchObject({ code: "bad_value" });
		});
	});
}
