import { expect, test } from "vitest";
import type { Json } from "../../src/explorer/answer.js";
import { BlockFees } from "../../src/explorer/block-facts.js";

test("fees of a block are asked for once, and again where another block has its number", async () => {
	const asked: unknown[] = [];
	const call = async (_: string, body?: unknown): Promise<Json> => {
		asked.push(body);
		return { list: [{ id: "aa", fee: 268_000 }, { id: "bb" }] };
	};
	const fees = new BlockFees({ call });
	const block = { number: 7n, id: "7" };
	expect(await Promise.all(["aa", "bb", "cc"].map((id) => fees.feeOf(block, id)))).toEqual([
		268_000n,
		0n,
		undefined,
	]);
	expect(asked).toEqual([{ num: 7 }]);
	await fees.feeOf({ number: 7n, id: "other" }, "aa");
	expect(asked).toHaveLength(2);
	expect(await fees.feeOf({ number: 0n, id: "0" }, "aa")).toBeUndefined();
	expect(asked).toHaveLength(2);
});

test("a node that gives no receipts leaves fees out", async () => {
	const call = () => Promise.reject(new Error("not served"));
	expect(await new BlockFees({ call }).feeOf({ number: 7n, id: "7" }, "aa")).toBeUndefined();
});
