/** The folder of fault bundles: whole files, and not too many of them. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KEPT_FILES } from "../../../src/node/faults/bundle.js";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { writeFault } from "../../../src/node/faults/fault-files.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../src/protocol/messages.js";
import { makeFault } from "./planted.js";

test("keeps the first files and the newest ones, each whole and for its owner alone", async () => {
	const folder = mkdtempSync(join(tmpdir(), "faults-"));
	const bundle = readBundle(readFileSync(await makeFault(folder)));
	const kept = join(folder, "kept");
	const paths: string[] = [];
	for (let number = 1; number <= 40; number++) {
		const raw_data = BlockHeaderRaw.create({ number: BigInt(number) });
		const block = new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data }) }));
		const path = await writeFault(kept, {
			...bundle,
			block,
			computed: { ...bundle.computed, refusal: undefined },
		});
		utimesSync(path, number, number);
		paths.push(path);
		expect(readBundle(readFileSync(path)).block.number).toBe(BigInt(number));
	}
	const { first, newest } = KEPT_FILES;
	const names = [...paths.slice(0, first), ...paths.slice(-newest)].map((path) =>
		path.slice(kept.length + 1),
	);
	expect(readdirSync(kept).sort()).toEqual(names);
	expect(statSync(paths[0] as string).mode & 0o777).toBe(0o600);
	expect(statSync(kept).mode & 0o777).toBe(0o700);
	rmSync(folder, { recursive: true });
});
