import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain } from "../development-chain.js";

const ann = addressOf("ann");

export function grpcTranscripts(chain: () => DevelopmentChain): void {
	const asked = async (line: string): Promise<unknown> => JSON.parse(await chain().prints(line));

	describe("coin rpc with gRPC methods", () => {
		it("answers as the HTTP API writes the same message", async () => {
			const http = await asked(`rpc getaccount --address ${ann} --visible`);
			expect(await asked(`rpc GetAccount --address ${ann} --visible`)).toEqual(http);
			expect(await asked(`rpc WalletSolidity/GetAccount --address ${ann} --visible`)).toMatchObject({
				address: ann,
			});
			expect(await asked(`rpc GetAccount --solidity {"address":"${ann}"} --visible`)).toMatchObject({
				address: ann,
			});
			expect(await asked(`rpc GetAccount --address ${ann}`)).toMatchObject({
				address: expect.stringMatching(/^41/),
			});
		});

		it("takes both spellings of a name", async () => {
			const neutral = await asked("rpc GetBurnCoin");
			expect(await asked("rpc GetBurnTrx")).toEqual(neutral);
		});

		it("shows transactions inside answers with their ids and readable contracts", async () => {
			const words = `rpc CreateTransaction2 --visible --owner_address ${ann} --to_address ${addressOf("bob")}`;
			expect(await asked(`${words} --amount 5`)).toMatchObject({
				txid: expect.stringMatching(/^[0-9a-f]{64}$/),
				transaction: {
					txID: expect.stringMatching(/^[0-9a-f]{64}$/),
					raw_data: { contract: [{ parameter: { value: { amount: 5, owner_address: ann } } }] },
				},
			});
			expect(await asked("rpc GetBlockByNum --num 1")).toMatchObject({ blockID: expect.any(String) });
			expect((await chain().coin(`${words} --amount -5`)).code).toBe(1);
		});

		it("sends an envelope", async () => {
			const signed = await chain().prints("wallet send --to bob --amount 3coin --sign");
			const sent = await chain().coin("rpc BroadcastTransaction --data -", signed);
			expect({ ...sent, stdout: JSON.parse(sent.stdout) as unknown }).toMatchObject({
				code: 0,
				stdout: { result: true },
			});
			const again = await chain().coin("rpc BroadcastTransaction --data -", signed);
			expect(again.code).toBe(1);
			expect(JSON.parse(again.stdout)).toMatchObject({ code: "DUP_TRANSACTION_ERROR" });
		});

		it("describes methods, and lists them", async () => {
			expect(await chain().prints("rpc GetAccount --help")).toMatch(
				/^GetAccount: Account to Account\nserved by gRPC, service Wallet\nname /,
			);
			expect(await chain().prints("rpc GetBurnCoin --table")).toContain("also called GetBurnTrx");
			const list = await chain().prints("rpc --list --grpc");
			expect(list.trim().split("\n").length).toBe(1 + 147 + 47 + 4 + 4 + 1);
			expect(list).not.toContain("getaccount");
			expect(await chain().prints("autocomplete bash")).toContain('"rpc WalletSolidity/GetAccount"');
		});

		it.concurrent.each([
			["rpc GetAcount", 2, "hint: near it: GetAccount"],
			["rpc GetAccount --address nonsense --visible", 2, "the request is not a protocol.Account"],
			["rpc GetAccount {", 2, "the request is not a protocol.Account"],
			["rpc WalletExtension/GetTransactionsFromThis", 1, "doesn't serve /protocol.WalletExtension/"],
			["rpc GetAccount --node 127.0.0.1:1 --timeout 3s", 1, "no gRPC server answers at 127.0.0.1:1"],
			["rpc GetAccount --profile main", 2, 'the profile "main" has no grpc address'],
		])("refuses %s", async (line, code, message) => {
			expect(await chain().coin(line)).toEqual({
				code,
				stdout: "",
				stderr: expect.stringContaining(message),
			});
		});
	});
}
