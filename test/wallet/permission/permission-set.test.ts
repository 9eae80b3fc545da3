import { expect, it } from "vitest";
import type { Failure } from "../../../src/wallet/failure.js";
import type { Json } from "../../../src/wallet/json.js";
import { readPermissionDocument } from "../../../src/wallet/permission/permission-set.js";

const keys = [{ address: "ann", weight: "1", local: true }];
const owner = { id: "0", type: "Owner", name: "owner", threshold: "1", keys };
const active = { permission_name: "ops", threshold: "1", keys, operationNames: ["Transfer"] };
const document = { source: "node", account: "ann", owner, actives: [active] };
const read = (value: object) => readPermissionDocument(value as Json, async () => new Uint8Array(21));

it("reads what is printed of permissions", async () => {
	await expect(read({ ...document, actives: [{ threshold: "2" }] })).rejects.toMatchObject({
		facts: { hint: expect.stringContaining("coin permission template") },
	});
	const { actives } = await read(document);
	expect(actives).toMatchObject([{ permission_name: "ops", threshold: 1n, keys: [{ weight: 1n }] }]);
});

it.each([
	[{ ...document, active: [] }, 'the permissions document has the unknown member "active"', "actives"],
	[
		{ ...document, owner: { ...owner, treshold: "9" } },
		'owner has the unknown member "treshold"',
		"threshold",
	],
	[
		{ ...document, actives: [{ ...active, operationName: [] }] },
		'actives[0] has the unknown member "operationName"',
		"operationNames",
	],
	[
		{ ...document, owner: { ...owner, keys: [{ address: "ann", wieght: "3" }] } },
		'owner.keys[0] has the unknown member "wieght"',
		"weight",
	],
])("refuses a mistyped member, which would change nothing", async (value, message, near) => {
	const failure = await read(value).catch((error: Failure) => error);
	expect(failure).toMatchObject({ code: "bad_value", facts: { hint: `did you mean ${near}?` } });
	expect(String(failure)).toContain(message);
});
