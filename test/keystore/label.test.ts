import { expect, it } from "vitest";
import { checkLabel, looksAlike, mistakable } from "../../src/keystore/label.js";
import { checkContactLabel } from "../../src/wallet/configuration/contacts.js";

it.each([
	["alice\u2800", "a blank symbol"],
	["alice\u3164", "a filler"],
	["alice\u034f", "an invisible joiner"],
	["\u0251lice", "a phonetic letter"],
	["a\u029fice", "a phonetic letter"],
	["ali\u1d04e", "a phonetic letter"],
	["\u{1d41a}lice", "a mathematical letter"],
	["\uff41lice", "a wide letter"],
	["\u13aalice", "a Cherokee letter"],
	["\u13aa\u13de\u13c6\u13df\u13ac", "Cherokee letters alone"],
	["\ua4ee\ua4e1\ua4f2\ua4da\ua4f0", "Lisu letters alone"],
	["b\u0585b", "an Armenian letter"],
	["b\u043eb", "a Cyrillic letter"],
	["a\u01c0ice", "a click"],
	["pay\u2010bob", "another hyphen"],
	["alice\uff04", "a wide sign"],
	["bob\u20a4", "a sign of lire that looks like that of pounds"],
	["bob\u0660", "a digit that looks like a dot"],
])("a label is refused for what can be mistaken in it: %s, %s", (label) => {
	expect(mistakable(label)).toContain("mistaken");
	expect(() => checkContactLabel(label)).toThrow("mistaken");
});

it.each([
	"alice",
	"Zoë-2",
	"łódź",
	"Nguyễn",
	"ünal",
	"e\u0301va",
	"алиса_7",
	"Ελένη",
	"阿里",
	"USDT钱包",
	"サーバー1",
	"은행",
	"אליס",
	"ਅਲੀਸ",
	"a.b+c'd",
	"O’Neill",
	"Счёт№1",
	"кафе’€",
	"₽-касса",
])("a label in the letters of one alphabet isn't: %s", (label) => expect(mistakable(label)).toBeUndefined());

it("keys take the same signs as contacts, but no quotes", () => {
	for (const label of ["O’Neill", "Счёт №1", "€-касса"]) checkLabel(label);
	expect(() => checkLabel("O'Neill")).toThrow("is not a name for a key");
});

it("letters of another alphabet that look Latin don't tell labels apart", () => {
	for (const [one, other] of [
		["\u0585\u0585", "oo"],
		["a\u4e28ice", "alice"],
		["\u3147\u3163l", "oil"],
		["\u0430\u0440\u0435", "ape"],
		["O’Neill", "O'Neill"],
		["№1", "No1"],
		["\u529b", "\u30ab"],
		["\u53e3\u5ea7", "\u30ed\u5ea7"],
		["サ\u4e00バ", "サ\u30fcバ"],
	] as const)
		expect(looksAlike(one, other)).toBe(true);
	expect(looksAlike("銀行", "口座")).toBe(false);
});
