/** Recorded sets of contract transactions, replayed with every program compiled before it runs. */

import { expect, it } from "vitest";
import { replaySet } from "../../../replayed-set.js";

it.each(["late-vm-calls", "late-vm-opcodes", "late-vm-probes", "late-vm-random", "vm-contracts"])(
	"%s is as recorded",
	async (set) => {
		const { result, differences } = await replaySet(set, undefined, true);
		expect(differences).toBe("");
		expect(result.state).toBe(true);
	},
);
