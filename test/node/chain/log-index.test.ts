import { describe, expect, it } from "vitest";
import { bloomBits } from "../../../src/node/chain/section-bloom.js";
import type { ContractOutcome } from "../../../src/node/rules/execution.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	TransactionInfoLog,
	TransactionResultContractResult,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import { openSmall, produce, signed, smallConfig, users } from "./small-chain.js";

const ADDRESS = fromHex("a84facdc58a07cc4134f34462c9d817237902334");
const ROWS = bloomBits(ADDRESS).map((bit) => Buffer.from(bit.toString(16)));

const EMPTY = new Uint8Array(0);
const logging = (): ContractOutcome => ({
	code: TransactionResultContractResult.SUCCESS,
	returnData: EMPTY,
	contractAddress: EMPTY,
	runtimeError: undefined,
	logs: [TransactionInfoLog.create({ address: ADDRESS })],
	internalTransactions: [],
});

const SERVER = "node.jsonrpc.httpFullNodeEnable = true";

describe("the index of logs of a chain (protocol/releases §2)", () => {
	it.each([
		["4.8.0", "", false],
		["4.8.0", SERVER, true],
		["4.8.1", "", true],
		["4.8.2", "", true],
	])("by release %s with %j is kept: %s", async (release, more, kept) => {
		const config = smallConfig("", `node.release = "${release}"\n${more}`);
		const open = await openSmall({ config, machine: logging });
		const [owner] = users;
		open.chain.pushTransaction(
			signed(
				open,
				0,
				"TriggerSmartContract",
				TriggerSmartContract.create({ owner_address: owner as Uint8Array }),
			),
		);
		produce(open);
		for (const row of ROWS) expect(open.chain.state.sectionBloom.has(row)).toBe(kept);
		await open.close();
	});
});
