import { expect, it } from "vitest";
import { decodeLog } from "../../src/abi/log.js";
import { topicOf } from "../../src/abi/selector.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { parseSignature } from "../../src/wallet/abi/signature.js";

const word = (digits: string) => fromHex(digits.padStart(64, "0"));
const coins = parseSignature("Transfer(address indexed from,address indexed to,uint256 value)", "event");
const things = parseSignature(
	"Transfer(address indexed from,address indexed to,uint256 indexed id)",
	"event",
);

it("reads a log by the event whose indexed parameters fit, of several with the same topic", () => {
	const topics = [topicOf(coins), word("1"), word("2")];
	const items = [things, coins];
	expect(decodeLog(items, { topics, data: word("5") })?.args).toMatchObject({ value: 5n });
	expect(decodeLog(items, { topics: [...topics, word("6")], data: new Uint8Array(0) })?.args).toMatchObject({
		id: 6n,
	});
	expect(decodeLog(items, { topics, data: new Uint8Array(0) })).toBeUndefined();
});
