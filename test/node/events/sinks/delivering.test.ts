import { expect, it } from "vitest";
import { Deliverer } from "../../../../src/node/events/sinks/delivering.js";
import { RefusedError, type Told } from "../../../../src/node/events/sinks/receiver.js";

it("finds the one message that is refused by halves, and delivers all others in their order", async () => {
	const told = Array.from({ length: 500 }, (_, i) => ({ id: String(i), message: { json: "{}" } }) as Told);
	const taken: string[] = [];
	let deliveries = 0;
	const deliverer = new Deliverer({
		name: "a",
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
	expect(await deliverer.deliver(told, "block 1", new AbortController().signal)).toBe(true);
	expect(taken).toEqual(told.map(({ id }) => id).filter((id) => id !== "321"));
	expect([deliverer.sent, deliverer.refused]).toEqual([499, 1]);
	expect(deliveries).toBeLessThan(25);
});
