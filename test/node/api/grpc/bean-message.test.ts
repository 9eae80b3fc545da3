import { describe, expect, it } from "vitest";
import { Double } from "../../../../src/node/api/bean-json.js";
import { messageOfBean } from "../../../../src/node/api/grpc/services/network.js";
import { NodeInfo } from "../../../../src/protocol/messages.js";

describe("a bean as a message", () => {
	it("gives numbers, lists, maps and embedded messages to the fields of their names", () => {
		const bean = {
			beginSyncNum: 7,
			block: "Num:8",
			totalFlow: 9n,
			cheatWitnessInfoMap: { a: "b" },
			machineInfo: { cpuRate: new Double(0.5), memoryDescInfoList: [{ name: "x", useSize: 3 }] },
			nobodyKnowsThis: 1,
		};
		const message = messageOfBean(NodeInfo, bean, {});
		expect(message).toMatchObject({ beginSyncNum: 7n, block: "Num:8", totalFlow: 9n });
		expect(message.cheatWitnessInfoMap).toEqual(new Map([["a", "b"]]));
		expect(message.machineInfo?.cpuRate).toBe(0.5);
		expect(message.machineInfo?.memoryDescInfoList).toMatchObject([{ name: "x", useSize: 3n }]);
	});

	it("takes members of other names where they are named", () => {
		const bean = { peerList: [{ syncFlag: true, active: true, needSyncFromPeer: false }] };
		const names = { peerInfoList: "peerList", isActive: "active", needSyncFromPeer: "syncFlag" };
		expect(messageOfBean(NodeInfo, bean, names).peerInfoList).toMatchObject([
			{ isActive: true, needSyncFromPeer: true, syncFlag: true },
		]);
	});
});
