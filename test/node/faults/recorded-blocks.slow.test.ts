/** Recorded blocks of the reference node as bundles: each has everything that executing it takes, and comes to the same again. */

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { transactionInfosOf } from "../../../src/node/chain/block-store.js";
import { createContractMachine } from "../../../src/node/contract-runner.js";
import { bundleLines, readBundle } from "../../../src/node/faults/bundle-file.js";
import { recordFault } from "../../../src/node/faults/fault-watch.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { TransactionInfo } from "../../../src/protocol/messages.js";
import { feed, openRecorded, recordedSet } from "../chain/recorded-chain.js";

/** Of each set so many blocks at most, spread over it. */
const MAX_BLOCKS = 60;

for (const name of [
	"late-stake-energy",
	"late-stake-delegation",
	"late-exchange",
	"late-vm-random",
	"late-tokens",
	"late-eras",
	"core-fork",
])
	test(`${name}: each block of it is executed again from its bundle alone`, async () => {
		const set = recordedSet(name);
		const open = await openRecorded(set, undefined, undefined, {
			machine: createContractMachine(set.config, true).run,
		});
		const { chain } = open;
		const source = { open, config: set.config, limitTime: true, program: "coin test" };
		const every = Math.max(1, Math.floor(set.blocks.length / MAX_BLOCKS));
		let compared = 0;
		for (const [at, recorded] of set.blocks.entries()) {
			const block = SignedBlock.decode(recorded.bytes);
			const follows = toHex(block.parentId) === chain.head.idHex && at % every === 0;
			const found = {
				kind: "audit" as const,
				block,
				refusal: undefined,
				recorded: [],
				stored: [],
				differences: [],
			};
			const bundle = follows ? recordFault(source, found) : undefined;
			feed(open, recorded);
			if (!bundle || chain.head.idHex !== block.idHex) continue;
			const infos = transactionInfosOf(chain.state, chain.head).map((info) =>
				toHex(TransactionInfo.encode(info)),
			);
			expect(bundle.computed.infos.map((info) => toHex(TransactionInfo.encode(info)))).toEqual(infos);
			const again = readBundle(gzipSync([...bundleLines(bundle)].join(""), { level: 1 }));
			const { verdict, entries, reason } = reproduce(again, { timeoutMs: 60_000 });
			expect({ block: block.number, verdict, entries, reason }).toEqual({
				block: block.number,
				verdict: "reproduced",
				entries: [],
				reason: undefined,
			});
			compared++;
		}
		expect(compared).toBeGreaterThan(10);
		await open.close();
	});
