import { expect, it } from "vitest";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { implementationInterface, implementationOf } from "../../../src/wallet/view/contract-record.js";
import { answering } from "../answering-client.js";

const contract = new Uint8Array(21).fill(0x41);

it("says that a node without JSON-RPC doesn't tell whether a contract is a proxy", async () => {
	const { client } = answering({ getcontractinfo: { runtimecode: "00" } }, { http: "http://127.0.0.1:9" });
	const deaf = { ...client, send: async () => ({ status: 404 }) } as unknown as NodeClient;
	await expect(implementationOf(deaf, contract)).rejects.toThrow(
		/^whether T\w+ is a proxy isn't known: 127.0.0.1:9 serves no JSON-RPC there/,
	);
	// Calls that need no other interface go on without it.
	expect(await implementationInterface(deaf, contract)).toBeUndefined();
});
