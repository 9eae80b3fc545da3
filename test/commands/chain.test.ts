import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home } from "./coin-process.js";

const set = fileURLToPath(new URL("../golden/core-accounts/core-accounts", import.meta.url));
const chain = (directory: string) => ["-c", "recorded.conf", "-d", directory];

let home: Home;
beforeEach(() => {
	home = new Home();
	// The chain asks for proofs, whose parameters are large files of the network.
	const text = readFileSync(`${set}.conf`, "utf8");
	writeFileSync(join(home.path, "recorded.conf"), `${text}\nnode.shielded.allowUnverified = true\n`);
});
afterEach(() => home.remove());

describe("coin chain", () => {
	it("imports a recorded chain, goes on where it was, and exports what it imports again", async () => {
		const first = await home.run(["chain", "import", `${set}.ndjson.br`, ...chain("one"), "--json"]);
		expect(first).toMatchObject({ code: 0, stderr: "" });
		const imported = JSON.parse(first.stdout) as { blocks: number; head: string; blockID: string };
		expect(String(imported.blocks)).toBe(imported.head);

		const again = JSON.parse(
			(await home.run(["chain", "import", `${set}.ndjson.br`, ...chain("one"), "--json"])).stdout,
		) as object;
		expect(again).toMatchObject({ blocks: 0, head: imported.head, blockID: imported.blockID });

		const part = await home.run(["chain", "export", "part.bin", ...chain("one"), "--to", "10", "--json"]);
		expect(JSON.parse(part.stdout)).toMatchObject({ blocks: 10, from: "1", to: "10" });
		const half = await home.run([
			"chain",
			"import",
			"part.bin",
			...chain("two"),
			"--json",
			"--progress",
			"none",
		]);
		expect(JSON.parse(half.stdout)).toMatchObject({ blocks: 10, head: "10" });

		const rest = await home.run(["chain", "export", "rest.bin", ...chain("one"), "--from", "11"]);
		expect(rest.code).toBe(0);
		const whole = await home.run(["chain", "import", "rest.bin", ...chain("two"), "--json"]);
		expect(JSON.parse(whole.stdout)).toMatchObject({ head: imported.head, blockID: imported.blockID });
	});

	it("says which flag names the configuration where there is none", async () => {
		const { code, stderr } = await home.run(["chain", "import", "blocks.bin"]);
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: expect.stringMatching(
				/^error: .*No Such file config.conf\nhint: -c names the configuration file/,
			),
		});
	});

	it("refuses damaged, foreign and missing files with one sentence, and keeps what it had", async () => {
		await home.run(["chain", "import", `${set}.ndjson.br`, ...chain("one")]);
		await home.run(["chain", "export", "blocks.bin", ...chain("one")]);
		await home.run(["chain", "export", "late.bin", ...chain("one"), "--from", "7"]);
		const bytes = readFileSync(join(home.path, "blocks.bin"));
		writeFileSync(join(home.path, "cut.bin"), bytes.subarray(0, bytes.length - 5));
		writeFileSync(join(home.path, "text.bin"), "hello, this is not a file of blocks");
		for (const [words, sentence] of [
			[["chain", "import", "missing.bin", ...chain("two")], "there is no file missing.bin"],
			[["chain", "import", "cut.bin", ...chain("two")], "cut.bin ends inside a block"],
			[["chain", "import", "text.bin", ...chain("three")], "error: "],
			[["chain", "import", ".", ...chain("three")], ". is a directory, not a file of blocks"],
			[["chain", "import", "late.bin", ...chain("three")], "it continues no block of this chain"],
			[["chain", "export", "new.bin", ...chain("none")], "there is no data directory none"],
			[["chain", "export", "new.bin", ...chain("one"), "--from", "1000"], "there is no block 1000"],
			[["chain", "export", "new.bin", ...chain("one"), "--from", "9", "--to", "3"], "nothing from 9 to 3"],
			[["chain", "export", "blocks.bin", ...chain("one")], "exists already and is never overwritten"],
			[["chain", "export", "new.bin", ...chain("one"), "--from", "x"], '"x" is not a block number'],
			[["chain", "import", "blocks.bin", "-c", "none.conf"], "No Such file none.conf"],
		] as const) {
			const outcome = await home.run(words);
			expect(outcome.code, words.join(" ")).toBeGreaterThan(0);
			expect(outcome.stderr, words.join(" ")).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
			expect(outcome.stderr).toContain(sentence);
		}
		expect(existsSync(join(home.path, "new.bin"))).toBe(false);
		expect(existsSync(join(home.path, "none"))).toBe(false);
		const goes = await home.run(["chain", "import", "blocks.bin", ...chain("two"), "--json"]);
		expect(goes.code).toBe(0);
	});
});
