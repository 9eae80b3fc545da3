/** Labels that the shell offers: the script asks the program for them. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { it, RECIPIENT, type Wallet } from "./wallet-fixture.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

async function complete({ home }: Wallet, script: string, ...words: string[]): Promise<string[]> {
	const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
	const coin = `coin() { '${process.execPath}' '${program}' "$@"; }`;
	const shell = `${coin}; source ${script}; ${line}; _coin; printf '%s\\n' "\${COMPREPLY[@]}"`;
	const env = { PATH: process.env["PATH"] ?? "", HOME: home.path };
	return (await promisify(execFile)("bash", ["-c", shell], { env })).stdout.trim().split("\n");
}

describe.concurrent("coin autocomplete", () => {
	it("offers labels beyond ASCII as they are, though the program is one bundle", async ({ wallet }) => {
		expect((await wallet.coin(["contact", "add", "José-Łódź", RECIPIENT])).code).toBe(0);
		const script = wallet.home.write("coin.bash", (await wallet.coin(["autocomplete", "bash"])).stdout);
		expect(await complete(wallet, script, "coin", "account", "show", "Jo")).toEqual(["José-Łódź"]);
	});

	it("offers keys, contacts and profiles where they belong", async ({ wallet }) => {
		wallet.addKey("bob");
		await wallet.coin(["contact", "add", "shop", RECIPIENT]);
		const script = wallet.home.write("coin.bash", (await wallet.coin(["autocomplete", "bash"])).stdout);
		expect(await complete(wallet, script, "coin", "wallet", "send", "--to", "")).toEqual([
			"ann",
			"bob",
			"shop",
		]);
		expect(await complete(wallet, script, "coin", "wallet", "sign", "--signer", "")).toEqual(["ann", "bob"]);
		expect(await complete(wallet, script, "coin", "balance", "--profile", "ma")).toEqual(["main"]);
		expect(await complete(wallet, script, "coin", "account", "show", "sh")).toEqual(["shop"]);
		expect(await complete(wallet, script, "coin", "keystore", "export", "key", "b")).toEqual(["bob"]);
		expect(await complete(wallet, script, "coin", "keystore", "new", "b")).toEqual([""]);
		const staked = ["bandwidth", "energy", "votes"];
		expect(await complete(wallet, script, "coin", "stake", "freeze", "5coin", "--for", "")).toEqual(staked);
		expect(await complete(wallet, script, "coin", "tx", "history", "--format", "")).toEqual(["csv"]);
		expect(await complete(wallet, script, "coin", "convert", "unit", "--to", "s")).toEqual(["sun"]);
	});

	it("offers the functions of a contract whose interface is kept", async ({ wallet }) => {
		const abi = '[{"type":"function","name":"get","inputs":[]},{"type":"function","name":"set","inputs":[]}]';
		await wallet.coin(["contact", "add", "store", RECIPIENT, "--abi", abi]);
		const script = wallet.home.write("coin.bash", (await wallet.coin(["autocomplete", "bash"])).stdout);
		const offered = await complete(wallet, script, "coin", "contract", "call", "store", "");
		expect(offered.filter((word) => !word.startsWith("-"))).toEqual(["get", "set"]);
		expect(await complete(wallet, script, "coin", "contract", "send", "store", "s")).toEqual(["set"]);
		expect(await complete(wallet, script, "coin", "contract", "call", "st")).toEqual(["store"]);
	});

	it("prints them one a line", async ({ wallet }) => {
		wallet.addKey("carol");
		expect((await wallet.coin(["autocomplete", "--names", "keys"])).stdout).toBe("ann\ncarol\n");
		expect((await wallet.coin(["autocomplete", "fish"])).stdout).toMatch(/^# fish completion for coin\n/);
	});
});
