import { expect, test } from "vitest";
import { SharedRoom } from "../../../../src/node/api/jsonrpc/shared-room.js";

test("room is taken and given back", () => {
	const room = new SharedRoom(20);
	room.take("a", 15);
	room.take("b", 5);
	expect([room.takenBy("a"), room.takenBy("b"), room.hasRoom(1)]).toEqual([15, 5, false]);
	room.giveBack("b", 5);
	expect([room.takenBy("b"), room.hasRoom(5), room.hasRoom(6)]).toEqual([0, true, false]);
});

test("whoever has most gives way to whoever would have no more than a tenth, and to nobody else", () => {
	const room = new SharedRoom(20);
	room.take("a", 4);
	room.take("b", 15);
	room.take("c", 1);
	expect(room.givesWayTo("d", 2)).toBe("b");
	expect(room.givesWayTo("c", 1)).toBe("b");
	expect(room.givesWayTo("c", 2)).toBeUndefined();
	expect(room.givesWayTo("a", 1)).toBeUndefined();
});

test("nobody gives way who has no more than a tenth", () => {
	const room = new SharedRoom(20);
	for (let n = 0; n < 10; n++) room.take(`client ${n}`, 2);
	expect(room.givesWayTo("another", 1)).toBeUndefined();
});
