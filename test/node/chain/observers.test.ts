import { expect, it } from "vitest";
import { type AppliedBlock, type ErasedBlock, Observers } from "../../../src/node/chain/observers.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";

const block = (number: number): AppliedBlock =>
	({ block: { number: BigInt(number) }, infos: [] }) as unknown as AppliedBlock;

it("keeps what an observer throws from the chain and from the other observers", () => {
	const failures: unknown[] = [];
	const observers = new Observers((error) => failures.push(error));
	const seen: string[] = [];
	const note = (what: string) => (): void => {
		seen.push(what);
		throw new Error(what);
	};
	for (const name of ["a", "b"]) {
		observers.add({
			applied: ({ block: { number } }) => note(`${name} applied ${number}`)(),
			erased: ({ block: { number } }: ErasedBlock) => note(`${name} erased ${number}`)(),
			switched: note(`${name} switched`),
			replaced: note(`${name} replaced`),
			pending: note(`${name} pending`),
			refused: note(`${name} refused`),
			executed: note(`${name} executed`),
			authorized: note(`${name} authorized`),
			timed: note(`${name} timed`),
		});
	}
	const transaction = {} as SignedTransaction;
	observers.moved([block(3)], [block(4), block(5)], true);
	observers.replaced();
	observers.pending(transaction, {} as never);
	observers.refused(transaction, new Error("a rule"));
	observers.executed(transaction, true, 1);
	observers.authorized(1);
	observers.timed("pushed", {} as SignedBlock, 0);
	const move = ["switched", "erased 3", "applied 4", "applied 5"];
	const others = ["replaced", "pending", "refused", "executed", "authorized", "timed"];
	expect(seen).toEqual([
		...["a", "b"].flatMap((name) => move.map((what) => `${name} ${what}`)),
		...others.flatMap((what) => [`a ${what}`, `b ${what}`]),
	]);
	expect(failures).toHaveLength(seen.length);
	expect(observers.failed).toBe(seen.length);
});
