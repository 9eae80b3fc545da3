/** The program behind `npm run replay`, as built. */

import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";

function run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
	const child = spawn(process.execPath, ["dist/replay.js", ...args], { stdio: ["ignore", "pipe", "pipe"] });
	let stdout = "";
	let stderr = "";
	child.stdout.on("data", (data: Buffer) => {
		stdout += data.toString();
	});
	child.stderr.on("data", (data: Buffer) => {
		stderr += data.toString();
	});
	return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

describe("the replay program", () => {
	it("prints one JSON line a set and ends with 0 where all is as recorded", async () => {
		const { code, stdout } = await run(["test/golden/core-zero", "test/golden/core-fork/core-fork.conf"]);
		const lines = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(lines.map(({ seconds, ...line }) => ({ ...line, timed: typeof seconds }))).toEqual([
			{
				set: "core-zero",
				blocks: { passed: 100, failed: 0 },
				pushes: { passed: 0, failed: 0 },
				requests: { passed: 238, failed: 0, skipped: 0 },
				grpc: { passed: 0, failed: 0 },
				state: true,
				timed: "number",
			},
			{
				set: "core-fork",
				blocks: { passed: 26, failed: 0 },
				pushes: { passed: 84, failed: 0 },
				requests: { passed: 201, failed: 0, skipped: 0 },
				grpc: { passed: 0, failed: 0 },
				state: true,
				timed: "number",
			},
		]);
		expect(code).toBe(0);
	});

	it.each<[string, string[], string]>([
		["without a folder", [], "no folder is given"],
		["with a folder that does not exist", ["nowhere"], "nowhere does not exist"],
		["with an unknown option", ["test/golden/core-zero", "--fast"], "--fast"],
		[
			"with a height that is no number",
			["test/golden/core-zero", "--until", "x"],
			'--until takes a number, not "x"',
		],
	])("ends with 2 and its usage %s", async (_, args, message) => {
		const { code, stdout, stderr } = await run(args);
		expect(code).toBe(2);
		expect(stdout).toBe("");
		expect(stderr).toContain(message);
		expect(stderr).toContain("usage: npm run replay");
	});
});
