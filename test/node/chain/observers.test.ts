import { expect, it } from "vitest";
import { type CommittedBlock, eachBlock, Observers } from "../../../src/node/chain/observers.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";

const block = (number: number): CommittedBlock =>
	({ block: { number: BigInt(number) }, infos: [] }) as unknown as CommittedBlock;

it("keeps what an observer throws from the chain and from the other observers", () => {
	const failures: unknown[] = [];
	const observers = new Observers((error) => failures.push(error));
	const seen: string[] = [];
	const note = (what: string) => (): void => {
		seen.push(what);
		throw new Error(what);
	};
	const kinds = ["committed", "reorg", "accepted", "produced", "pending", "rejected", "replaced"] as const;
	for (const name of ["a", "b"]) {
		observers.add(Object.fromEntries(kinds.map((kind) => [kind, note(`${name} ${kind}`)])));
	}
	const [signed, transaction] = [{} as SignedBlock, {} as SignedTransaction];
	observers.publish("committed", block(1));
	observers.publish("reorg", { reverted: [block(1)], committed: [block(2)] });
	observers.publish("accepted", signed);
	observers.publish("produced", signed);
	observers.publish("pending", transaction, {} as never);
	observers.publish("rejected", transaction, new Error("a rule"));
	observers.publish("replaced");
	expect(seen).toEqual(kinds.flatMap((kind) => [`a ${kind}`, `b ${kind}`]));
	const { timings } = observers;
	expect(timings.isWatched).toBe(false);
	const times = ["executed", "authorized", "packed", "pushed"] as const;
	const ignore = timings.listen(Object.fromEntries(times.map((kind) => [kind, note(kind)])));
	expect(timings.isWatched).toBe(true);
	timings.executed(transaction, true, 1);
	timings.authorized(1);
	timings.packed(signed, 0);
	timings.pushed(signed, { origin: "peer", kind: "branch" }, 0);
	ignore();
	timings.authorized(1);
	expect(seen.splice(2 * kinds.length)).toEqual([...times]);
	expect(failures).toHaveLength(2 * kinds.length + times.length);
	expect(observers.failed).toBe(failures.length);
});

it("gives the blocks of a reorg one by one to those who take them so", () => {
	const seen: string[] = [];
	const observer = eachBlock({
		committed: ({ block: { number } }, inReorg) => seen.push(`${inReorg ? "reorg " : ""}committed ${number}`),
		reverted: ({ block: { number } }) => seen.push(`reverted ${number}`),
		reorg: () => seen.push("reorg"),
	});
	observer.committed?.(block(3));
	observer.reorg?.({ reverted: [block(3), block(2)], committed: [block(2), block(3)] });
	expect(seen.splice(0)).toEqual([
		"committed 3",
		"reorg",
		"reverted 3",
		"reverted 2",
		"reorg committed 2",
		"reorg committed 3",
	]);
	observer.reorg?.({ reverted: [block(3)], committed: [] });
	expect(seen).toEqual(["reverted 3"]);
});
