import { mkdtempSync, rmSync } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createSnapshot } from "../../../src/node/snapshot/create.js";

test("a snapshot on a file system that the node may not write says so", async () => {
	const folder = mkdtempSync(join(tmpdir(), "coin-create-"));
	// Made with its parents, Node.js looks for the folder that it couldn't make, and doesn't find it.
	const mkdir = vi.spyOn(files, "mkdir").mockImplementation(async (path, options) => {
		if (path === folder) return undefined;
		const code = typeof options === "object" && options?.recursive ? "ENOENT" : "EROFS";
		throw Object.assign(new Error(code), { code, syscall: "mkdir" });
	});
	syncBuiltinESMExports();
	try {
		const subject = { async *entries() {}, segmentsDirectory: folder, genesisId: "" };
		const options = { program: "", nowMs: 0, onProgress: () => true };
		await expect(createSnapshot(subject, join(folder, "today"), options)).rejects.toThrow(
			`the snapshot ${join(folder, "today")} can't be written: its file system is read-only`,
		);
	} finally {
		mkdir.mockRestore();
		syncBuiltinESMExports();
		rmSync(folder, { recursive: true });
	}
});
