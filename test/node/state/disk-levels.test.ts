import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openLevelDatabase } from "../../../src/node/state/database.js";

const folder = mkdtempSync(join(tmpdir(), "disk-levels-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("the levels of a database count every file on the disk, whatever bytes its keys hold", async () => {
	const first = await openLevelDatabase(folder);
	const keys = ["--- level 9 ---", " 7:1[", "\n 7:1[", "\n--- level 8 ---\n", "é"];
	await first.write(
		keys.map((key) => ({ key: Buffer.from(key), value: Buffer.alloc(100) })),
		true,
	);
	await first.close();
	// Opening moves what the log held into a file.
	const again = await openLevelDatabase(folder);
	const levels = again.levels?.() ?? [];
	const files = readdirSync(folder).filter((name) => name.endsWith(".ldb"));
	expect(files.length).toBeGreaterThan(0);
	expect(levels.map(({ level }) => level)).toEqual([0, 1, 2, 3, 4, 5, 6]);
	expect(levels.reduce((sum, level) => sum + level.files, 0)).toBe(files.length);
	expect(levels.reduce((sum, level) => sum + level.bytes, 0)).toBe(
		files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
	);
	await again.close();
});

it.each([
	{ written: 1, tables: 0 },
	{ written: 3, tables: 1 },
])(
	"a database closed after $written MiB has its log written into $tables tables",
	async ({ written, tables }) => {
		const directory = join(folder, `closed-${written}`);
		const database = await openLevelDatabase(directory);
		const changes = Array.from({ length: written }, (_, at) => ({
			key: Buffer.from([at]),
			value: Buffer.alloc(1 << 20, at),
		}));
		await database.write(changes, true);
		await database.close();
		expect(readdirSync(directory).filter((name) => name.endsWith(".ldb"))).toHaveLength(tables);
		const again = await openLevelDatabase(directory);
		for (const { key, value } of changes) expect(value.equals(again.get(key) ?? Buffer.of())).toBe(true);
		await again.close();
	},
);
