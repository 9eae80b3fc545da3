import { expect, test } from "vitest";
import type { ContractCall } from "../../../src/wallet/node/constant-call.js";
import { feeLimitOf } from "../../../src/wallet/values/fee-limit.js";
import { answering } from "../answering-client.js";

const CALL: ContractCall = {
	owner: new Uint8Array(21),
	contract: new Uint8Array(21),
	data: new Uint8Array(4),
};

const node = (energy: bigint, settings: object) =>
	answering(
		{
			triggerconstantcontract: { energy_used: energy },
			getchainparameters: { chainParameter: [{ key: "getEnergyFee", value: 100n }] },
		},
		{ feeLimit: "auto", maxFeeLimitSun: 1_000_000n, ...settings },
	).client;

test("a fee limit is an amount, or the estimate and a quarter more, rounded up, at most the configured one", async () => {
	expect(await feeLimitOf("2coin", node(7n, {}), CALL)).toBe(2_000_000n);
	expect(await feeLimitOf(undefined, node(7n, { feeLimit: "3sun" }), CALL)).toBe(3n);
	expect(await feeLimitOf(undefined, node(1_000n, {}), CALL)).toBe(125_000n);
	expect(await feeLimitOf("auto", node(7n, {}), CALL)).toBe(900n);
	expect(await feeLimitOf("auto", node(100_000n, {}), CALL)).toBe(1_000_000n);
	await expect(feeLimitOf("auto", node(7n, {}), undefined)).rejects.toMatchObject({ code: "usage" });
});
