import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { methods } from "../../src/node/api/jsonrpc/method-table.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const run = promisify(execFile);

/** The lines of `coin rpc`; these questions need no node and no configuration. */
async function rpc(...words: string[]): Promise<string[]> {
	const { stdout } = await run(process.execPath, [program, "rpc", ...words], { env: { PATH: "" } });
	return stdout.trimEnd().split("\n");
}

describe("coin rpc", () => {
	it("lists every method of JSON-RPC beside the endpoints", async () => {
		const names = (await rpc("--list")).map((line) => line.split(/\s/)[0]);
		expect(names).toEqual(expect.arrayContaining(methods.map(({ name }) => name)));
		expect(names).toContain("getaccount");
	});

	it("describes a method with its parameters in their order", async () => {
		const [title, , head, ...rows] = await rpc("eth_getStorageAt", "--help");
		expect(title).toMatch(/^eth_getStorageAt: /);
		expect(head).toMatch(/^name\s+type$/);
		expect(rows).toHaveLength(3);
	});

	it("knows a method of each room by its name", async () => {
		const prefixes = new Map(methods.map(({ name }) => [name.replace(/_.*/, ""), name]));
		expect([...prefixes.keys()]).toEqual(expect.arrayContaining(["eth", "debug", "trace", "coin"]));
		for (const name of prefixes.values()) {
			const [title] = await rpc(name, "--help");
			expect(title).toMatch(new RegExp(`^${name}: `));
		}
	});

	it("is completed with endpoints, their fields, and methods", async () => {
		const { stdout } = await run(process.execPath, [program, "autocomplete", "bash"], { env: { PATH: "" } });
		expect(stdout).toContain('"rpc getaccount"');
		expect(stdout).toContain("--frozen_balance");
		expect(stdout).toContain("eth_getLogs");
	});

	it.each([
		["getAccount", 2, "did you mean getaccount?"],
		["Wallet/GetAcount", 2, "near it: GetAccount"],
		["protocol.Wallet.GetAcount", 2, "near it: GetAccount"],
	])("asks nothing of a node with %s, and names what is near", async (name, code, near) => {
		await expect(rpc(name, "--node", "http://127.0.0.1:1")).rejects.toMatchObject({
			code,
			stderr: expect.stringContaining(near),
		});
	});

	it("names near ones where a method doesn't exist", async () => {
		await expect(rpc("eth_getblance", "--help")).rejects.toMatchObject({
			stderr: expect.stringContaining("near it: eth_getBalance"),
		});
		await expect(rpc("eth_getLog", "--help")).rejects.toMatchObject({
			code: 2,
			stderr: expect.stringContaining("eth_getLogs"),
		});
	});
});
