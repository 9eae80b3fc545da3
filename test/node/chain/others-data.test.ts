import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { databaseDirectory } from "../../../src/launch/database-work.js";
import { directoryProblem, openDataDirectory } from "../../../src/node/chain/data-directory.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-others-"));
	vi.spyOn(process, "geteuid" as "uptime").mockReturnValue(0);
});
afterEach(() => {
	vi.restoreAllMocks();
	rmSync(directory, { recursive: true, force: true });
});

/** Who runs the test stands for the user of a node, unless that is root. @returns the user, and how to become it */
function giveAway(path: string): readonly [string, string] {
	const { uid, username } = userInfo();
	if (uid !== 0) return [username, `sudo -u ${username} coin …`];
	chownSync(path, 54_321, 54_321);
	return ["54321", "that user (--user 54321 of a container)"];
}

const names = (): string[] => readdirSync(directory, { recursive: true, encoding: "utf8" });

test.skipIf(process.platform === "win32")(
	"root writes nothing into another user's data, and is told whose it is",
	async () => {
		const [user, how] = giveAway(directory);
		const refusal = `${directory} belongs to the user ${user}, who couldn't open what root writes there: run this as ${how}`;
		expect(directoryProblem(directory)).toBe(refusal);
		await expect(openDataDirectory(directory, "database")).rejects.toThrow(refusal);
		expect(names()).toEqual([]);
		mkdirSync(join(directory, "database"));
		const asked = databaseDirectory({ file: join(directory, "none.conf"), network: undefined }, directory);
		await expect(asked).rejects.toMatchObject({ code: "start_failed", message: refusal });
		expect(names()).toEqual(["database"]);
	},
);

test.skipIf(process.platform === "win32")("nor where the database alone is another user's", async () => {
	mkdirSync(join(directory, "database"));
	giveAway(join(directory, "database"));
	await expect(openDataDirectory(directory, "database")).rejects.toThrow("belongs to the user");
	expect(names()).toEqual(["database"]);
});

test("others, and root in its own directory, may", async () => {
	if (statSync(directory).uid !== 0) vi.restoreAllMocks();
	await (await openDataDirectory(directory, "database")).close();
	vi.restoreAllMocks();
	vi.spyOn(process, "geteuid" as "uptime").mockReturnValue(54_321);
	giveAway(directory);
	await (await openDataDirectory(directory, "database")).close();
});
