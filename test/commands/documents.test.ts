import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("the pages on commands say what the commands say (else: npm run document)", () => {
	const { status, stderr } = spawnSync(
		process.execPath,
		["--import", "tsx", "scripts/document-commands.ts", "--check"],
		{
			cwd: root,
			encoding: "utf8",
		},
	);
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
