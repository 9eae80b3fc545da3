import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain } from "../development-chain.js";

const program = fileURLToPath(new URL("../../../bin/coin.js", import.meta.url));

export function streamTranscripts(chain: () => DevelopmentChain): void {
	describe("transactions that come one after another", () => {
		it("are signed as they come, while the stream is open", async () => {
			const build = (amount: string): Promise<string> =>
				chain().prints(`wallet send --to bob --amount ${amount} --build`);
			const [first, second] = [await build("1coin"), await build("2coin")];
			const child = spawn(process.execPath, [program, "wallet", "sign", "--batch"], {
				env: { PATH: process.env["PATH"] ?? "", HOME: chain().home.path, ...chain().environment },
				stdio: ["pipe", "pipe", "ignore"],
			});
			const signed = async (line: string): Promise<unknown> => {
				child.stdin.write(line);
				const [bytes] = (await once(child.stdout, "data")) as [Buffer];
				return JSON.parse(bytes.toString("utf8"));
			};
			for (const line of [first, second]) {
				const { txID } = JSON.parse(line) as { txID: string };
				expect(await signed(line)).toMatchObject({ txID, signature: [expect.any(String)] });
			}
			child.stdin.end();
			expect(await once(child, "close")).toEqual([0, null]);
			expect(await chain().fails("wallet sign --batch", 2)).toMatchObject({ code: "stdin_empty" });
		});

		it("are decoded with the interface of the contract that they call", async () => {
			const abi = JSON.stringify(["function set(uint256 value)"]);
			const words = ["wallet", "build", "TriggerSmartContract", "--data"];
			const data = `60fe47b1${"7".padStart(64, "0")}`;
			const body = JSON.stringify({ contract_address: addressOf("carol"), data });
			const built = await chain().coin([...words, body]);
			expect(built).toMatchObject({ code: 0, stderr: "" });
			const decoded = await chain().coin(["tx", "decode", "--abi", abi, "--json"], built.stdout);
			expect(JSON.parse(decoded.stdout)).toMatchObject({
				type: "TriggerSmartContract",
				call: { signature: "set(uint256)", arguments: { value: "7" } },
			});
		});

		it("tell programs of the wait in lines of JSON", async () => {
			const { stderr } = await chain().coin("wallet send --to bob --amount 4coin --wait --progress json");
			expect(JSON.parse(stderr.split("\n")[0] as string)).toEqual({
				progress: { task: "waiting for a block" },
			});
		});

		it("name a contract by an argument as by a flag", async () => {
			const address = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
			for (const words of [address, `--address ${address}`])
				expect(await chain().coin(`contract logs ${words}`)).toMatchObject({ code: 0, stdout: "" });
		});
	});
}
