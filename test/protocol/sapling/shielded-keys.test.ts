import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	authorizationKey,
	defaultDiversifier,
	diversifiedBase,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../../src/protocol/sapling/shielded-keys.js";
import { KEYS } from "./vectors.js";

test.each(KEYS)("a spending key gives the keys and the address of the network's library", (keys) => {
	const expanded = expandSpendingKey(fromHex(keys.spendingKey));
	expect([expanded.ask, expanded.nsk, expanded.ovk].map(toHex)).toEqual([keys.ask, keys.nsk, keys.ovk]);
	const ak = authorizationKey(expanded.ask);
	const nk = nullifierKey(expanded.nsk);
	expect([toHex(ak), toHex(nk)]).toEqual([keys.ak, keys.nk]);
	const ivk = incomingViewingKey(ak, nk);
	expect(toHex(ivk)).toBe(keys.ivk);
	expect(toHex(transmissionKey(ivk, fromHex(keys.diversifier)) ?? new Uint8Array())).toBe(keys.address);
	const first = defaultDiversifier(fromHex(keys.spendingKey));
	expect(first && toHex(first) === keys.diversifier).toBe(keys.isDefault);
});

test.each([
	[
		"ecb7085ce03f3a5fd57e3329cbbde3fcce9e3a0d7a4c2d3c1441cd1837163d0b",
		"0830552707e438f1e1da6c89afc6581d3b1b674a53991ba51895bf9a3447c12c",
	],
	["ff".repeat(32), "43bacb8bf5179faab14fe17d9fc724e079f42eaaa04c43a81106848c8e83f11c"],
])("an authorizing key needn't be reduced: %s", (ask, ak) => {
	expect(toHex(authorizationKey(fromHex(ask)))).toBe(ak);
});

test("a nullifier key, and the viewing key of it and an authorization key", () => {
	const nk = nullifierKey(fromHex("f07e24db728fac4bd315c4f46c83494a469823a0c3b4fc6125e3c56a3d352a05"));
	expect(toHex(nk)).toBe("92424303a0c7a161ca581dd01b62e1cfa763ddf8b2c6ff15813ba069b3ede89f");
	const ak = fromHex("0830552707e438f1e1da6c89afc6581d3b1b674a53991ba51895bf9a3447c12c");
	expect(toHex(incomingViewingKey(ak, nk))).toBe(
		"f0cfb482b380f196906e82a22bf9afa5ec324d5062c70639adbcd5f35c4f7b07",
	);
});

test("a viewing key of more than 251 bits, and a diversifier that is not valid, give no address", () => {
	const [{ diversifier, ivk }] = KEYS;
	const long = fromHex(ivk);
	long[31] = 0x08;
	expect(transmissionKey(long, fromHex(diversifier))).toBeUndefined();
	const bad = [...Array(20).keys()].map((i) => new Uint8Array(11).fill(i)).filter((d) => !diversifiedBase(d));
	expect(bad.length).toBeGreaterThan(0);
	expect(transmissionKey(fromHex(ivk), bad[0] as Uint8Array)).toBeUndefined();
});
