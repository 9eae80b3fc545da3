import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { addressFromHash } from "../../../src/protocol/address.js";
import {
	keepInterface,
	ownInterface,
	ownInterfaces,
} from "../../../src/wallet/configuration/own-interfaces.js";

it("all interfaces that are kept are one list, without what can't be read", async () => {
	const directory = await mkdtemp(join(tmpdir(), "own-interfaces-"));
	try {
		const settings = { contactsFile: join(directory, "contacts.json") };
		expect(await ownInterfaces(settings)).toEqual([]);
		const error = (name: string) => [{ type: "error", name, inputs: [] }];
		for (const [byte, name] of ["Locked", "Paused", "Lost"].entries())
			await keepInterface(settings, addressFromHash(new Uint8Array(20).fill(byte + 1)), error(name), {});
		const lost = (await ownInterfaces(settings)).map(({ name }) => name);
		expect(lost.sort()).toEqual(["Locked", "Lost", "Paused"]);
		await writeFile(join(directory, "interfaces", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb.json"), "{");
		await writeFile(join(directory, "interfaces", "notes.json"), "[]");
		expect(await ownInterfaces(settings)).toHaveLength(3);
		// What is too long to be read again would make each call fail.
		const first = addressFromHash(new Uint8Array(20).fill(1));
		await keepInterface(settings, first, error("x".repeat(4 << 20)));
		expect(await ownInterface(settings, first)).toMatchObject([{ name: "Locked" }]);
	} finally {
		await rm(directory, { recursive: true });
	}
});
