import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { ann, bob, coupon, expect, places, refused, step, version } from "./check.mjs";

version("@foundry-rs/cast");
const run = promisify(execFile);
// The package's own command ends well whatever the program says.
const scope = "node_modules/@foundry-rs";
const program = `${scope}/${readdirSync(scope).find((name) => name !== "cast")}/bin/cast`;
const cast = async (...words) => {
	const options = { timeout: 60_000, env: { ...process.env, ETH_RPC_URL: places.jsonrpc, NO_COLOR: "1" } };
	const { stdout } = await run(program, words, options).catch((error) => {
		throw new Error(`${error.stderr ?? ""}${error.stdout ?? ""}`.trim() || error.message);
	});
	return stdout.trim();
};
const from = ["--from", ann.evm];
const unlocked = [...from, "--unlocked"];
const sent = async (...words) => JSON.parse(await cast("send", "--json", ...unlocked, ...words));

for (const words of [
	["block"],
	["block", "pending"],
	["block", "finalized"],
	["block-number"],
	["chain-id"],
	["client"],
	["gas-price"],
	["base-fee"],
	["age"],
	["find-block", "1"],
	["nonce", ann.evm],
	["balance", ann.evm],
	["codesize", ann.evm],
	["rpc", "eth_feeHistory", "4", "latest", "[]"],
]) {
	await step(words.slice(0, 2).join(" "), () => cast(...words));
}
const paid = await step("send coins", () => sent(bob.evm, "--value", "5"));
await step("tx", () => cast("tx", paid.transactionHash));
await step("receipt", () => cast("receipt", paid.transactionHash));
await step("estimate", () => cast("estimate", ...from, bob.evm, "--value", "5"));
const abiWords = await step("abi-encode", () =>
	cast("abi-encode", "constructor(string,uint256)", "Coupon", "1000"),
);
const made = await step("send --create", () => sent("--create", coupon.bytecode + abiWords.slice(2)));
const address = made?.contractAddress;
await step("call", async () =>
	expect((await cast("call", address, "balanceOf(address)(uint256)", ann.evm)).startsWith("1000"), "1000"),
);
await step("estimate of a call", () =>
	cast("estimate", ...from, address, "transfer(address,uint256)", bob.evm, "5"),
);
await refused("a revert's reason", /revert/i, () =>
	cast("call", ...from, address, "transfer(address,uint256)", bob.evm, "1000000000"),
);
const called = await step("send a call", () => sent(address, "transfer(address,uint256)", bob.evm, "5"));
await step("logs", async () =>
	expect((await cast("logs", "--from-block", "0", "--address", address)).includes("topics"), "logs"),
);
await step("code", async () => expect((await cast("code", address)).length > 100, "code"));
await step("storage", () => cast("storage", address, "1"));
await step("run", () => cast("run", called.transactionHash));
await step("rpc debug_traceTransaction", () => cast("rpc", "debug_traceTransaction", called.transactionHash));
