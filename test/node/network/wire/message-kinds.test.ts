import { describe, expect, it } from "vitest";
import { MAX_BLOCK_BYTES } from "../../../../src/node/consensus/block-judgement.js";
import { ApplicationType, Reason } from "../../../../src/node/network/wire/application-messages.js";
import {
	hasImpossibleTransactions,
	readBlockHeader,
} from "../../../../src/node/network/wire/block-messages.js";
import { unwrap, wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { checkSize, OversizeMessage } from "../../../../src/node/network/wire/message-kinds.js";
import {
	DisconnectReason,
	ProtocolViolation,
	TransportType,
	withType,
} from "../../../../src/node/network/wire/transport-messages.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	TransportCompressed,
} from "../../../../src/protocol/messages.js";

function refusal(act: () => unknown): unknown {
	try {
		act();
	} catch (error) {
		if (error instanceof OversizeMessage || error instanceof ProtocolViolation) return error.reason;
		throw error;
	}
	return undefined;
}

const unknownFields = (bytes: number): Uint8Array => Buffer.alloc(bytes, Buffer.from("7801", "hex"));

describe("the size of a message", () => {
	it.each([
		["a transport PING", TransportType.PING, 256, DisconnectReason.BAD_MESSAGE],
		["a transport HELLO", TransportType.HELLO, 2048, DisconnectReason.BAD_MESSAGE],
		["a HELLO", ApplicationType.P2P_HELLO, 32_768, Reason.BAD_PROTOCOL],
		["a vote", ApplicationType.PBFT_MSG, 8192, Reason.BAD_PROTOCOL],
		["votes", ApplicationType.PBFT_COMMIT_MSG, 16_384, Reason.BAD_PROTOCOL],
		["a block", ApplicationType.BLOCK, 1 + MAX_BLOCK_BYTES, Reason.BAD_PROTOCOL],
		["nothing known", 0x40, 1024, Reason.NO_SUCH_MESSAGE],
	])("of %s is bounded, compressed or not, before anything is uncompressed", (_, type, most, reason) => {
		const fits = withType(type, unknownFields(most - 1));
		const exceeds = withType(type, unknownFields(most));
		const bare = (plain: Uint8Array) =>
			TransportCompressed.encode(TransportCompressed.create({ data: plain }));
		for (const envelope of [wrapMessage, bare]) {
			expect(refusal(() => unwrap(envelope(fits), checkSize))).toBeUndefined();
			expect(refusal(() => unwrap(envelope(exceeds), checkSize))).toBe(reason);
		}
	});

	it("of the largest list, inventory and batch of transactions that a peer may send is within bounds", () => {
		expect(refusal(() => checkSize(ApplicationType.BLOCK_CHAIN_INVENTORY, 2001 * 47 + 12))).toBeUndefined();
		expect(refusal(() => checkSize(ApplicationType.INVENTORY, 1001 * 34 + 3))).toBeUndefined();
		expect(refusal(() => checkSize(ApplicationType.FETCH_INV_DATA, 4002 * 34 + 3))).toBeUndefined();
		expect(refusal(() => checkSize(ApplicationType.TXS, 1_000_000 + 512_000 + 5))).toBeUndefined();
	});
});

describe("a block that is not decoded yet", () => {
	const header = BlockHeader.create({ raw_data: BlockHeaderRaw.create({ number: 7n, timestamp: 3n }) });
	const block = Block.create({ block_header: header });

	it("has its id all the same, even if its header comes in two parts", () => {
		const bytes = Block.encode(block);
		const parts = [{ number: 7n }, { timestamp: 3n }].map((raw) =>
			Block.encode(
				Block.create({ block_header: BlockHeader.create({ raw_data: BlockHeaderRaw.create(raw) }) }),
			),
		);
		const whole = readBlockHeader(bytes);
		expect([whole.number, whole.timestampMs]).toEqual([7n, 3n]);
		expect(toHex(readBlockHeader(Buffer.concat(parts)).id)).toBe(toHex(whole.id));
	});

	it("has its id even if its header comes in half a million parts", () => {
		const parts = Buffer.alloc(500_000 * 4, Buffer.from("12021801", "hex"));
		expect(readBlockHeader(Buffer.concat([parts, Block.encode(block)])).number).toBe(7n);
	});

	it("can't have transactions that are shorter than a signature", () => {
		const transactions = (count: number, bytes: number) =>
			Buffer.concat(
				Array.from({ length: count }, () => Buffer.concat([Buffer.of(0x0a, bytes), Buffer.alloc(bytes)])),
			);
		expect(hasImpossibleTransactions(transactions(1000, 0))).toBe(true);
		expect(hasImpossibleTransactions(transactions(1000, 70))).toBe(false);
		expect(hasImpossibleTransactions(Block.encode(block))).toBe(false);
	});
});
