import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const { ownFolder } = (await import(pathToFileURL("bin/own-folder.js").href)) as {
	ownFolder(environment: Readonly<Record<string, string | undefined>>, make?: boolean): string | undefined;
};

let home: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "coin-cache-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folderIn = (cache: string): string | undefined => ownFolder({ XDG_CACHE_HOME: cache });

describe.skipIf(process.getuid === undefined)("compiled code is kept", () => {
	it("in a folder of the user's own, which is made for nobody else", () => {
		const folder = folderIn(home);
		expect(folder).toBe(resolve(home, "coin", "compiled"));
		expect(statSync(folder ?? "").mode & 0o777).toBe(0o700);
		expect(folderIn(home)).toBe(folder);
	});

	it("in none that is made by looking for it", () => {
		expect(ownFolder({ XDG_CACHE_HOME: home }, false)).toBeUndefined();
		expect(existsSync(join(home, "coin"))).toBe(false);
	});

	it.each([0o755, 0o770, 0o707, 0o777])("not in a folder with the rights %o", (mode) => {
		const folder = join(home, "coin", "compiled");
		mkdirSync(folder, { recursive: true });
		chmodSync(folder, mode);
		expect(folderIn(home)).toBeUndefined();
	});

	it("not below a folder in which others can put another one in its place", () => {
		expect(folderIn(home)).toBeDefined();
		chmodSync(join(home, "coin"), 0o777);
		expect(folderIn(home)).toBeUndefined();
	});

	it("not where a link leads to a folder that others can change", () => {
		const foreign = mkdtempSync(join(tmpdir(), "coin-foreign-"));
		chmodSync(foreign, 0o777);
		symlinkSync(foreign, join(home, "coin"));
		expect(folderIn(home)).toBeUndefined();
		rmSync(foreign, { recursive: true });
	});

	it.skipIf(process.getuid?.() !== 0)("not in a folder of another user", () => {
		const folder = join(home, "coin", "compiled");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		chownSync(folder, 65_534, 65_534);
		expect(folderIn(home)).toBeUndefined();
		chownSync(folder, 0, 0);
		expect(folderIn(home)).toBe(folder);
		chownSync(join(home, "coin"), 65_534, 65_534);
		expect(folderIn(home)).toBeUndefined();
	});

	it("not where no folder can be made", () => {
		expect(folderIn("/dev/null")).toBeUndefined();
		expect(existsSync("/dev/null/coin")).toBe(false);
	});
});
