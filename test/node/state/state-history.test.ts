import { expect, test } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";

test("a mark brings back what a block wrote that isn't final yet, whatever was edited since", async () => {
	const state = await StateDatabase.open(createMemoryDatabase());
	const history = state.keepHistory(8);
	const { accountIndex } = stores;
	const read = (): unknown => state.headBackend.get(accountIndex, "a");
	state.headBackend.put(accountIndex, "a", Uint8Array.of(1));
	state.commitBlock(1n);
	const mark = history.mark();
	history.editBackend.put(accountIndex, "a", Uint8Array.of(2));
	expect(read()).toEqual(Uint8Array.of(2));
	for (let times = 0; times < 2; times++) {
		history.returnTo(mark);
		expect(read()).toEqual(Uint8Array.of(1));
		history.editBackend.put(accountIndex, "a", Uint8Array.of(3));
	}
	history.returnTo(mark);
	state.undoBlock();
	expect(read()).toBeUndefined();
});
