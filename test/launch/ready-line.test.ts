import { expect, test } from "vitest";
import { readyLine } from "../../src/launch/ready-line.js";

test("each port is told as its clients write it", () => {
	const ports = { full: 1, jsonrpc: 2, grpc: 3, grpcSolidity: 4, peer: 5, events: 6, gateway: undefined };
	expect(readyLine(ports, "127.0.0.1")).toBe(
		"coin node ready full http://127.0.0.1:1  jsonrpc http://127.0.0.1:2/jsonrpc  grpc 127.0.0.1:3  " +
			"grpcSolidity 127.0.0.1:4  peer 127.0.0.1:5  events tcp://127.0.0.1:6",
	);
});
