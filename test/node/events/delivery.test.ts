import { expect, it } from "vitest";
import { type Backlog, Delivery, type Parcel } from "../../../src/node/events/delivery.js";
import { EventBudget } from "../../../src/node/events/event-budget.js";
import { type Publication, RefusedError } from "../../../src/node/events/receivers/receiver.js";

it("finds the one message that is refused by halves, and delivers all others in their order", async () => {
	const publications = Array.from(
		{ length: 500 },
		(_, i) => ({ id: String(i), message: { json: "{}" } }) as Publication,
	);
	const waiting: Parcel[] = [{ publications, block: { number: 1n, idHex: "ab" } }];
	let acknowledge: () => void = () => {};
	const acknowledged = new Promise<void>((resolve) => {
		acknowledge = resolve;
	});
	const backlog: Backlog = {
		observer: {},
		position: 0,
		target: 1,
		lost: 0,
		open: () => {},
		next: async () => waiting.shift(),
		acknowledge,
		reset: () => {},
		close: () => {},
	};
	const taken: string[] = [];
	let deliveries = 0;
	const delivery = new Delivery({
		name: "a",
		backlog,
		budget: new EventBudget(() => {}),
		receiver: {
			deliver: async (some) => {
				deliveries++;
				if (some.some(({ id }) => id === "321")) throw new RefusedError("it is too long");
				taken.push(...some.map(({ id }) => id));
			},
			close: async () => {},
		},
		pause: async () => {},
		warn: () => {},
		info: () => {},
	});
	delivery.start();
	await acknowledged;
	expect(taken).toEqual(publications.map(({ id }) => id).filter((id) => id !== "321"));
	expect(delivery.counts).toMatchObject({ sent: 499, lost: 1, lag: 1 });
	expect(deliveries).toBeLessThan(25);
});
