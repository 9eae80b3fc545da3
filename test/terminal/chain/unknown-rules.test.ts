import { expect, it } from "vitest";
import { unknownRules } from "../../../src/commands/node/status.js";
import type { BlockReference } from "../../../src/wallet/node/chain-query.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";

/** A node whose blocks from 28 on carry a version, and that reports these parameters besides one that everybody knows. */
function node(version: number, parameters: readonly object[] = []): NodeClient {
	const call = async (endpoint: string, request: { readonly id_or_num?: string }): Promise<object> => {
		if (endpoint === "getchainparameters") {
			return { chainParameter: [{ key: "getEnergyFee", value: 100n }, ...parameters] };
		}
		const number = Number(request.id_or_num);
		return { block_header: { raw_data: { version: BigInt(number >= 28 ? version : 32) } } };
	};
	return { call } as unknown as NodeClient;
}

const head = (number: bigint) => ({ number }) as BlockReference;

it("is silent about a chain whose rules are known", async () => {
	const known = [{ key: "getAllowTvmOsaka", value: 1n }, { key: "getAllowSomethingNew" }];
	expect(await unknownRules(node(38, known), head(30n))).toEqual([]);
	expect(await unknownRules(node(38), head(0n))).toEqual([]);
});

it("tells of a vote for an unknown version and of an unknown parameter", async () => {
	const warnings = await unknownRules(node(39, [{ key: "getAllowSomethingNew", value: 1n }]), head(30n));
	expect(warnings).toEqual([
		"3 of the last 27 blocks vote for version 39, which this program doesn't know (its newest: 38): update it before the vote passes",
		"the chain's parameter getAllowSomethingNew is 1, and this program doesn't know it: its own node can't follow that chain",
	]);
});
