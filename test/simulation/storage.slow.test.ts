import { beforeAll, describe, expect, it } from "vitest";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { runStorage } from "./storage.js";

beforeAll(async () => {
	installRecoverEngine();
});

describe("a chain on a disk that fails", () => {
	// Crashes during writes, power losses, full disks. More of them: npm run sim -- --seeds 1000
	it.each([1, 2, 3, 7, 21, 39])("loses nothing that it may not lose: seed %d", async (seed) => {
		expect((await runStorage(seed)).failures).toEqual([]);
	});
});
