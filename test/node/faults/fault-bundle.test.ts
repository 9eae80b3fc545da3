/** Blocks that are refused, the files that they leave, and what executing these again says. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { transactionInfosOf } from "../../../src/node/chain/block-store.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { FaultWatch } from "../../../src/node/faults/fault-watch.js";
import {
	BundleError,
	MAX_BUNDLE_ITEMS,
	MAX_LINE_BYTES,
	MAX_RAW_BYTES,
} from "../../../src/node/faults/limits.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { produce, smallConfig, transfer, users } from "../chain/small-chain.js";
import { deployment, openWithContracts, refusingTransfers, storing } from "./planted.js";

const config = smallConfig();
const time = { timeoutMs: 60_000 };
let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "faults-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function watch(open: OpenChain) {
	const lines: object[] = [];
	const faults = new FaultWatch({
		source: { open, config, limitTime: true, program: "coin test" },
		folder: join(folder, "faults"),
		log: { error: (fields) => lines.push(fields) },
		report: (error) => {
			throw error;
		},
	});
	open.chain.observe({ refused: (block, error) => faults.refused(block, error) });
	return { faults, lines };
}

/** Blocks of a chain that has paid and called contracts, each with one transaction. */
async function blocks(): Promise<readonly SignedBlock[]> {
	const open = await openWithContracts(config);
	const made: SignedBlock[] = [];
	const add = (transaction: Parameters<OpenChain["chain"]["pushTransaction"]>[0]): void => {
		open.chain.pushTransaction(transaction);
		made.push(produce(open));
	};
	add(transfer(open, 0, users[1] as Uint8Array, 5n));
	add(deployment(open));
	const [info] = transactionInfosOf(open.chain.state, open.chain.head);
	open.chain.pushTransaction(storing(open, info?.contract_address as Uint8Array, 77));
	open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 6n));
	open.chain.pushTransaction(transfer(open, 1, users[2] as Uint8Array, 7n));
	open.chain.pushTransaction(transfer(open, 2, users[0] as Uint8Array, 8n));
	made.push(produce(open));
	await open.close();
	return made;
}

describe("a block that is refused by a wrong rule", () => {
	test("leaves a file that reproduces it, and shows that a right program has no such fault", async () => {
		const made = await blocks();
		const open = await openWithContracts(config);
		const { faults, lines } = watch(open);
		const last = made.at(-1) as SignedBlock;
		for (const block of made.slice(0, -1)) open.chain.push(block, "peer");
		const before = open.chain.head.idHex;
		for (let times = 0; times < 3; times++)
			refusingTransfers(7n, () => expect(() => open.chain.push(last, "peer")).toThrow("Amount must"));
		expect(open.chain.head.idHex).toBe(before);
		await faults.close();

		expect(faults.found).toEqual({ refused: 1, audit: 0 });
		const [name, ...others] = readdirSync(join(folder, "faults"));
		expect(others).toEqual([]);
		const file = join(folder, "faults", name as string);
		const fault = {
			block: 3,
			id: last.idHex,
			transaction: last.transactions[2]?.idHex,
			computed: "ContractValidateException: Amount must be greater than 0.",
			recorded: "SUCCESS",
			file,
		};
		expect(faults.first).toEqual(fault);
		expect(lines).toEqual([{ ...fault, incomplete: undefined }]);
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

describe("a bundle of others", () => {
	/** The lines of a bundle whose block calls a contract. */
	async function lines(): Promise<string[]> {
		const made = await blocks();
		const open = await openWithContracts(config);
		const { faults } = watch(open);
		for (const block of made.slice(0, -1)) open.chain.push(block, "peer");
		refusingTransfers(7n, () =>
			expect(() => open.chain.push(made.at(-1) as SignedBlock, "peer")).toThrow("Amount must"),
		);
		await faults.close();
		await open.close();
		return gunzipSync(readFileSync(faults.first?.file as string))
			.toString()
			.split("\n");
	}
	/** @returns whether it was read */
	const isTaken = (bytes: Uint8Array): boolean => {
		try {
			reproduce(readBundle(bytes), time);
			return true;
		} catch (error) {
			if (error instanceof BundleError) return false;
			throw error;
		}
	};
	const packed = (text: string | Uint8Array): Uint8Array => gzipSync(text, { level: 1 });

	test("is executed or refused with a sentence, whatever is changed in it", async () => {
		const whole = (await lines()).join("\n");
		expect(isTaken(packed(whole))).toBe(true);
		const random = seeded(5);
		const at = (length: number): number => Math.floor(random() * length);
		let taken = 0;
		for (let round = 0; round < 1_500; round++) {
			const bytes = Buffer.from(whole);
			for (let changes = at(3) + 1; changes > 0; changes--) {
				const place = round % 2 === 0 ? at(bytes.length) : at(Math.min(bytes.length, 3_000));
				const digits = '0123456789abcdef",[]{}:-';
				bytes[place] = round % 3 === 0 ? at(256) : digits.charCodeAt(at(digits.length));
			}
			if (isTaken(packed(bytes))) taken++;
		}
		expect(taken).toBeGreaterThan(10);
		for (let round = 0; round < 300; round++) {
			const all = whole.split("\n");
			const [from, to] = [at(all.length), at(all.length)];
			const moved = all.splice(from, 1 + at(3));
			if (round % 2 === 0) all.splice(to, 0, ...moved, ...moved);
			isTaken(packed(all.join("\n")));
			isTaken(packed(whole).subarray(0, at(whole.length / 4)));
			isTaken(Buffer.from(Array.from({ length: at(500) }, () => at(256))));
			isTaken(packed(Buffer.from(Array.from({ length: at(500) }, () => at(256)))));
		}
	}, 120_000);

	test("is refused where it unpacks to more, or has more lines, than one may hold", async () => {
		const [head] = await lines();
		expect(() => readBundle(packed(Buffer.alloc(MAX_RAW_BYTES + 1)))).toThrow("unpacks to more");
		const many = `${head}\n${"[]\n".repeat(MAX_BUNDLE_ITEMS)}`;
		expect(() => readBundle(packed(many))).toThrow(BundleError);
		expect(() => readBundle(packed(`"${"a".repeat(MAX_LINE_BYTES)}"`))).toThrow("too long");
		const keys = JSON.stringify(["keys", "witness", Array.from({ length: 1_000 }, () => "00")]);
		const walked = `${head}\n${`${keys}\n`.repeat(MAX_BUNDLE_ITEMS / 1_000)}`;
		expect(() => readBundle(packed(walked))).toThrow("too many entries");
		expect(() => readBundle(packed("[".repeat(100_000)))).toThrow(BundleError);
	}, 60_000);

	test("ends where its code doesn't", async () => {
		const all = await lines();
		const loop = all.map((text) =>
			text.startsWith('["entry","code"') ? text.replace(/"60003560005500"/, '"5b600056"') : text,
		);
		expect(loop).not.toEqual(all);
		const endless = loop.map((text) =>
			/^\["entry","properties","(656e657267795f6c696d6974|4d41585f4645455f4c494d4954)/.test(text)
				? text
				: text,
		);
		expect(() => reproduce(readBundle(packed(endless.join("\n"))), { timeoutMs: 0 })).toThrow("takes longer");
	});
});

/** A repeatable sequence of numbers from 0 to 1. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
