/** The chains of the recordings, at any of their blocks: built once, copied for each case. */

import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { OpenChain } from "../../../../src/node/chain/open-chain.js";
import { loadConfig } from "../../../../src/node/config/config.js";
import { createContractMachine } from "../../../../src/node/contract-runner.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import { setAddressPrefix } from "../../../../src/protocol/address.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex } from "../../../../src/protocol/bytes.js";

const FOLDER = "test/golden/p2p/chains";

interface ChainLine {
	readonly t: "block" | "orphan";
	readonly number: number;
	readonly block: string;
}

/** The blocks of a chain's main branch, lowest first. */
export function recordedBlocks(name: string): readonly SignedBlock[] {
	const text = brotliDecompressSync(readFileSync(join(FOLDER, `${name}.blocks.ndjson.br`))).toString();
	return text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as ChainLine)
		.filter(({ t }) => t === "block")
		.map(({ block }) => SignedBlock.decode(fromHex(block)));
}

function open(name: string, dataDirectory: string): Promise<OpenChain> {
	const config = loadConfig(join(FOLDER, `${name}.conf`), { instead: new Map([["node.release", "4.8.0"]]) });
	setAddressPrefix(config.net.addressPrefix);
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		machine: createContractMachine(config, false).run,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

/** Copies of one chain at one block, and what follows. */
export class RecordedChains {
	private readonly folder = mkdtempSync(join(tmpdir(), "coin-recorded-"));
	private readonly opened: OpenChain[] = [];
	private count = 0;

	private constructor(
		private readonly name: string,
		readonly blocks: readonly SignedBlock[],
		private readonly base: number,
	) {}

	/** @param base number of the block at which the copies begin */
	static async build(name: string, base: number): Promise<RecordedChains> {
		installRecoverEngine();
		const chains = new RecordedChains(name, recordedBlocks(name), base);
		const first = await open(name, chains.directory("base"));
		for (const block of chains.blocks.slice(0, base)) first.chain.push(block, "peer");
		await first.close();
		return chains;
	}

	private directory(name: string): string {
		return join(this.folder, name);
	}

	/** A chain of its own up to a block of the main branch, and then a branch. */
	async copy(head: number, branch: readonly SignedBlock[] = []): Promise<OpenChain> {
		const directory = this.directory(String(this.count++));
		const from = head < this.base ? 0 : this.base;
		if (from > 0) cpSync(this.directory("base"), directory, { recursive: true });
		const chain = await open(this.name, directory);
		this.opened.push(chain);
		for (const block of [...this.blocks.slice(from, head), ...branch]) chain.chain.push(block, "peer");
		return chain;
	}

	async close(): Promise<void> {
		for (const chain of this.opened) await chain.close();
		rmSync(this.folder, { recursive: true, force: true });
	}
}
