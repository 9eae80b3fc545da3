import { describe, expect, test } from "vitest";
import { GRPC_NAME, type RpcWords, readRpcWords } from "../../../src/terminal/rpc/rpc-words.js";
import { grpcMethodNamed, grpcMethods } from "../../../src/wallet/node/grpc-call.js";

const isSwitchField = (endpoint: string, field: string): boolean =>
	endpoint === "getblock" && field === "detail";
const read = (line: string): RpcWords => readRpcWords(line.split(" "), isSwitchField);

describe("the words of coin rpc", () => {
	test("are a name, a rest, own flags with values and switches", () => {
		expect(read("eth_call {} latest --node http://a -q --profile=main --header a=b --header c=d")).toEqual({
			name: "eth_call",
			rest: ["{}", "latest"],
			values: { node: "http://a", profile: "main" },
			switches: new Set(["quiet"]),
			headers: ["a=b", "c=d"],
			fields: [],
		});
	});

	test("have every other flag for a field of the endpoint", () => {
		expect(read("getaccount --address T1 --data-field ff -F free=a=b").fields).toEqual([
			{ name: "address", value: "T1", free: false },
			{ name: "data", value: "ff", free: false },
			{ name: "free", value: "a=b", free: true },
		]);
	});

	test("have boolean fields without a value, with one, and negated", () => {
		const detail = (line: string) =>
			read(`getblock ${line}`).fields.map(({ name, value }) => `${name}=${value}`);
		expect(detail("--detail")).toEqual(["detail=true"]);
		expect(detail("--detail false")).toEqual(["detail=false"]);
		expect(detail("--no-detail")).toEqual(["detail=false"]);
		expect(detail("--detail --id_or_num 5")).toEqual(["detail=true", "id_or_num=5"]);
		expect(read("getaccount --no-detail x").fields).toEqual([{ name: "no-detail", value: "x", free: false }]);
	});

	test("begin with a gRPC method where that has its form, which no address has", () => {
		const names = grpcMethods.flatMap(({ name, method }) =>
			/^[A-Z]/.test(method) ? [name, method] : [name],
		);
		expect(names.filter((name) => !GRPC_NAME.test(name))).toEqual([]);
		for (const name of ["protocol.Wallet/GetAccount", "protocol.Wallet.GetAccount", "Wallet.GetAccount"]) {
			expect(GRPC_NAME.test(name)).toBe(true);
			expect(grpcMethodNamed(name)?.name).toBe("GetAccount");
		}
		expect(GRPC_NAME.test("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC")).toBe(false);
	});

	test("end with a double dash: what follows is the rest", () => {
		expect(read("eth_call -- --node -q").rest).toEqual(["--node", "-q"]);
	});

	test.each([
		["getaccount --address", "--address needs a value"],
		["getaccount -F name", '-F "name": write name=value'],
		["getaccount -F =x", '-F "=x": write name=value'],
	])("%s is refused", (line, message) => {
		expect(() => read(line)).toThrow(message);
	});
});
