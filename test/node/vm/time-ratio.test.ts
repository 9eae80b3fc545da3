import { expect, it } from "vitest";
import { timeRatio } from "../../../src/node/vm/contract-machine.js";
import { TransactionResultContractResult } from "../../../src/protocol/messages.js";

const { OUT_OF_TIME, SUCCESS } = TransactionResultContractResult;
const DEFAULT = { limitTime: true, minTimeRatio: 0, maxTimeRatio: 5 };

it.each<[string, Partial<typeof DEFAULT>, boolean, number | undefined, number]>([
	["the chain's time for what is packed or asked for", {}, false, undefined, 1],
	["nothing for a block's transaction that timed out", {}, true, OUT_OF_TIME, 0],
	["what vm.minTimeRatio says for such a one", { minTimeRatio: 0.5 }, true, OUT_OF_TIME, 0.5],
	["all the time for every other one of a block", {}, true, SUCCESS, Number.POSITIVE_INFINITY],
	[
		"all the time where vm.maxTimeRatio is larger",
		{ maxTimeRatio: 9 },
		true,
		SUCCESS,
		Number.POSITIVE_INFINITY,
	],
	["less where vm.maxTimeRatio is smaller", { maxTimeRatio: 2 }, true, SUCCESS, 2],
	["all the time under --debug", { limitTime: false }, true, OUT_OF_TIME, Number.POSITIVE_INFINITY],
	["all the time under --debug, packed", { limitTime: false }, false, undefined, Number.POSITIVE_INFINITY],
])("the machine gives %s", (_, settings, inSignedBlock, recorded, ratio) => {
	expect(timeRatio({ ...DEFAULT, ...settings }, inSignedBlock, recorded)).toBe(ratio);
});
