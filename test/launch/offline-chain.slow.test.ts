import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openOffline } from "../../src/launch/offline-chain.js";
import { nodeConfiguration } from "../commands/endless.js";

test("an offline command says that a block log was lost: the next start would find the one it began", async () => {
	const folder = mkdtempSync(join(tmpdir(), "coin-offline-"));
	const [file, closed, killed] = ["node.conf", "closed", "killed"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	writeFileSync(file, nodeConfiguration("TErGVpctkrkeAoEbYpDito5edEKsQDYt9X", "https://signer"));
	const said: string[] = [];
	const open = (directory: string) =>
		openOffline({ file, network: undefined, shieldedParams: "none" }, directory, 0, (text) =>
			said.push(text),
		);
	const chain = await open(closed);
	cpSync(closed, killed, { recursive: true });
	await chain.close();
	for (const name of readdirSync(join(killed, "journal"))) rmSync(join(killed, "journal", name));
	for (let at = 0; at < 2; at++) await (await open(killed)).close();
	expect(said).toEqual(["the block log is empty: blocks after 0, if there were any, are lost"]);
	rmSync(folder, { recursive: true });
});
