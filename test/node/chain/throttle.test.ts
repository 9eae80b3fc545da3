import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { openSmall, produce } from "./small-chain.js";

/** Changed entries that make a flush due. */
const ENTRIES = 60;

let directory: string;
let open: OpenChain;
beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-throttle-"));
	open = await openSmall({
		dataDirectory: directory,
		flushLimits: { entries: ENTRIES, logBytes: 64 << 20 },
	});
});
afterEach(async () => {
	await open.close();
	rmSync(directory, { recursive: true, force: true });
});

/** Produces blocks in one turn of the event loop. */
function produceUntilPending(entries: number): void {
	while (open.database.pendingFlush <= entries) produce(open);
}

test("an import goes on while a flush is under way", async () => {
	produceUntilPending(ENTRIES);
	const pending = open.database.pendingFlush;
	await open.throttle();
	expect(open.database.pendingFlush).toBe(pending);
	await open.flushNow();
	expect(open.database.pendingFlush).toBe(0);
});

test("it waits where as much has come again meanwhile", async () => {
	produceUntilPending(2 * ENTRIES);
	await open.throttle();
	expect(open.database.pendingFlush).toBe(0);
});
