import { expect, test } from "vitest";
import { shownAddress } from "../../../src/wallet/values/shown-address.js";

test.each([
	["https://ann:secret@gate.example/x", "https://***@gate.example/x"],
	["http://token@127.0.0.1:8090", "http://***@127.0.0.1:8090"],
	["ann:p@ss@gate.example", "***@gate.example"],
	["https://gate.example/a@b?c=d@e", "https://gate.example/a@b?c=d@e"],
	["127.0.0.1:50051", "127.0.0.1:50051"],
	[undefined, undefined],
])("user and password of %s are not shown", (address, shown) => {
	expect(shownAddress(address)).toBe(shown);
});
