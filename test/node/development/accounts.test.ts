import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { describe, expect, it } from "vitest";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	deriveAccounts,
} from "../../../src/node/development/accounts.js";
import { toHex } from "../../../src/protocol/bytes.js";

describe("the accounts of a development chain", () => {
	it.each([
		[DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH],
		["legal winner thank year wave sausage worth useful legal winner thank yellow", "m/44'/60'/1'/7/"],
		["letter advice cage absurd amount doctor acoustic avoid letter advice cage above", "m/0/2147483647'/1"],
	])("are those of the audited library: %s %s", (mnemonic, path) => {
		const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(path.replace(/\/$/, ""));
		const expected = [0, 1, 2, 3, 4].map((index) =>
			toHex(parent.deriveChild(index).privateKey as Uint8Array),
		);
		const ours = deriveAccounts(mnemonic, path, 5, 1n).map(({ privateKey }) => toHex(privateKey));
		expect(ours).toEqual(expected);
	});
});
