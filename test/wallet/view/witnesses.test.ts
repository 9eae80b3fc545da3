import { expect, test } from "vitest";
import { rankedWitnesses, viewWitnesses } from "../../../src/wallet/view/witnesses.js";
import { answering } from "../answering-client.js";

const address = (byte: string): string => `41${byte.repeat(20)}`;

test("witnesses stand by their votes, equal ones by the higher address, each with its brokerage", async () => {
	const { client, asked } = answering({
		listwitnesses: {
			witnesses: [
				{ address: address("22"), voteCount: 5n },
				{ address: address("11"), voteCount: 9n, isJobs: true, totalProduced: 3n, totalMissed: 1n, url: "u" },
				{ address: address("33"), voteCount: 5n },
			],
		},
		getBrokerage: (request) => (request["address"] === address("11") ? { brokerage: 20n } : {}),
	});
	const views = await viewWitnesses(client, await rankedWitnesses(client, "full"), "full");
	expect(asked.map(({ request }) => request["address"])).toEqual([
		undefined,
		address("11"),
		address("33"),
		address("22"),
	]);
	expect(views[0]).toMatchObject({
		rank: 1,
		votes: 9n,
		current: true,
		produced: 3n,
		missed: 1n,
		brokerage: 20,
	});
	expect(views.slice(1)).toMatchObject([
		{ rank: 2, brokerage: 0, current: false },
		{ rank: 3, votes: 5n },
	]);
});
