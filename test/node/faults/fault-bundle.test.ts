/** Blocks that are refused, the files that they leave, and what executing these again says. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { blocks, config, openWithContracts, refusingTransfers, watch } from "./planted.js";

const time = { timeoutMs: 60_000 };
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "faults-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a block that is refused by a wrong rule", () => {
	test("leaves a file that reproduces it, and shows that a right program has no such fault", async () => {
		const made = await blocks();
		const open = await openWithContracts(config);
		const { faults, lines } = watch(open, folder);
		const last = made.at(-1) as SignedBlock;
		for (const block of made.slice(0, -1)) open.chain.push(block, "peer");
		const before = open.chain.head.idHex;
		for (let times = 0; times < 3; times++)
			refusingTransfers(7n, () => expect(() => open.chain.push(last, "peer")).toThrow("Amount must"));
		expect(open.chain.head.idHex).toBe(before);
		await faults.close();

		expect(faults.found).toEqual({ refused: 1, audit: 0 });
		const [name, ...others] = readdirSync(folder);
		expect(others).toEqual([]);
		const file = join(folder, name as string);
		const fault = {
			block: 3,
			id: last.idHex,
			transaction: last.transactions[2]?.idHex,
			computed: "ContractValidateException: Amount must be greater than 0.",
			recorded: "SUCCESS",
			file,
			kind: "refused",
			incomplete: undefined,
		};
		expect(faults.first).toEqual(fault);
		expect(lines).toEqual([fault]);
		expect(faults.warning()).toContain(`transaction ${fault.transaction}`);

		const bytes = readFileSync(file);
		const again = refusingTransfers(7n, () => reproduce(readBundle(bytes), time));
		expect(again).toMatchObject({
			verdict: "reproduced",
			transaction: fault.transaction,
			now: fault.computed,
			computed: fault.computed,
			recorded: "SUCCESS",
		});
		expect(reproduce(readBundle(bytes), time)).toMatchObject({ verdict: "as recorded" });
		expect(refusingTransfers(6n, () => reproduce(readBundle(bytes), time)).verdict).toBe("different");

		// A right program takes the block.
		open.chain.push(last, "peer");
		expect(open.chain.head.idHex).toBe(last.idHex);
		await open.close();
	});
});
