/** Something to look at on a development chain: a transfer, a contract, a call that logs, and one that reverts with a hostile reason. */

import { addressText } from "../../src/explorer/address-text.js";

export interface Chain {
	readonly account: string;
	readonly contract: string;
	readonly called: string;
	readonly reverted: string;
	readonly reason: string;
}

const word = (text: string): string => text.padStart(64, "0");
const REASON = "no <b>x</b>";
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Code that logs a transfer of 42 to its caller, and reverts with a reason where its input is one byte. */
function code(): string {
	const text = Buffer.from(REASON).toString("hex").padEnd(64, "0");
	const error = `08c379a0${word("20")}${word(REASON.length.toString(16))}${text}`;
	const stores = (error.match(/.{1,64}/g) ?? []).map(
		(part, index) => `7f${part.padEnd(64, "0")}60${(index * 32).toString(16).padStart(2, "0")}52`,
	);
	const fails = `5b${stores.join("")}60646000fd`;
	const logs = `602a60005233337f${TRANSFER}60206000a360206000f3`;
	const start = 8 + logs.length / 2;
	const runtime = `3660011461${start.toString(16).padStart(4, "0")}57${logs}${fails}`;
	const size = (runtime.length / 2).toString(16).padStart(4, "0");
	return `0x61${size}600e60003961${size}6000f3${runtime}`;
}

export async function makeChain(gateway: string): Promise<Chain> {
	const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
		const answer = (await (await fetch(`${gateway}/jsonrpc`, { method: "POST", body })).json()) as {
			result?: unknown;
			error?: { message: string };
		};
		if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
		return answer.result;
	};
	const [from = "", to = ""] = (await ask("eth_accounts", [])) as string[];
	const send = async (parameters: object): Promise<string> =>
		String(await ask("eth_sendTransaction", [{ from, gas: "0x4c4b40", ...parameters }]));
	await send({ to, value: "0xf4240" });
	const deployment = await send({ data: code() });
	const receipt = (await ask("eth_getTransactionReceipt", [deployment])) as { contractAddress: string };
	const { contractAddress } = receipt;
	const called = await send({ to: contractAddress, data: `0xa9059cbb${word(to.slice(2))}${word("5")}` });
	const reverted = await send({ to: contractAddress, data: "0x01" });
	return {
		account: addressText(from) ?? "",
		contract: addressText(contractAddress) ?? "",
		called: called.slice(2),
		reverted: reverted.slice(2),
		reason: REASON,
	};
}
