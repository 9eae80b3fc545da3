import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/commands/table.js";
import {
	flagBeforeCommand,
	flagHint,
	otherNames,
	unknownCommand,
} from "../../../src/terminal/command-line/unknown-command.js";
import { HIDDEN } from "../../../src/terminal/keys/argument-secrets.js";

const known = {
	commands: [
		...["contact add", "stake freeze", "stake max", "stake unfreeze", "keystore list", "keystore new"],
		...["wallet send", "wallet sign", "account show", "chain head", "node db copy"],
		...["dev set-balance", "contract call", "contract send", "block show"],
	],
	topics: [
		"token",
		"tx",
		"dev",
		"contract",
		"block",
		"contact",
		"stake",
		"stake freeze",
		"keystore",
		"wallet",
		"account",
		"chain",
		"node",
		"node db",
	],
	unlisted: ["witness count"],
	hasAddressFlag: (command: string) => command === "account show",
};

describe("a command that isn't there", () => {
	it.each([
		["stake add", 'there is no command "stake add"', "did you mean coin stake freeze?"],
		["stake 5coin", 'there is no command "stake 5coin"', "did you mean coin stake freeze?"],
		["constructor", 'there is no command "constructor"', "coin --help lists the commands"],
		["nonce bob", 'there is no command "nonce"', expect.stringMatching(/no nonce.*coin chain head --ref/)],
		["access-list bob", 'there is no command "access-list"', expect.stringContaining("no access lists")],
		["stake rm 5coin", 'there is no command "stake rm"', "did you mean coin stake unfreeze?"],
		[
			"wallet list",
			'there is no command "wallet list"',
			"did you mean coin keystore list, or coin wallet sign?",
		],
		["faucet", 'there is no command "faucet"', "did you mean coin dev set-balance?"],
		["contract read x", 'there is no command "contract read"', "did you mean coin contract call?"],
		["read x", 'there is no command "read"', "did you mean coin contract call?"],
		["write x", 'there is no command "write"', "did you mean coin contract send?"],
		["token transfer x", 'there is no command "token transfer"', "did you mean coin wallet send?"],
		["tx send", 'there is no command "tx send"', "did you mean coin wallet send?"],
		["pay bob 5coin", 'there is no command "pay"', "did you mean coin wallet send?"],
		[
			`stake ${"1f".repeat(32)}`,
			`there is no command "stake ${HIDDEN}"`,
			"coin stake --help lists the commands",
		],
		["wallet sned", 'there is no command "wallet sned"', "did you mean coin wallet send?"],
		["send", 'there is no command "send"', "did you mean coin wallet send, or coin contract send?"],
		[
			"node db verifiable",
			'there is no command "node db verifiable"',
			"coin node db --help lists the commands",
		],
		[
			"witness count --help",
			"coin witness count is not in the list of commands that the last build wrote",
			"npm run build writes it",
		],
		["stake add --help", 'there is no command "stake add"', "did you mean coin stake freeze?"],
		[
			"chain head x",
			'coin chain head takes no argument, but got "x"',
			"coin chain head --help shows what it takes",
		],
		["account show T1", 'coin account show takes no argument, but got "T1"', "did you mean --address T1?"],
	])("%s", (line, message, hint) => {
		expect(unknownCommand(line.split(" "), known)).toMatchObject({ code: "usage", message, facts: { hint } });
	});
});

it("is named for what other tools call it, however they write that", () => {
	const commands = Object.keys(COMMANDS).map((id) => id.replaceAll(":", " "));
	const topics = commands.flatMap((name) =>
		name.split(" ").map((_, at, words) => words.slice(0, at).join(" ")),
	);
	const all = { commands, topics, unlisted: [], hasAddressFlag: () => false };
	for (const [other, ours] of otherNames()) {
		expect(commands, other).toContain(ours);
		expect(commands, other).not.toContain(other);
		expect(unknownCommand(other.split(" "), all).facts.hint, other).toBe(`did you mean coin ${ours}?`);
	}
	for (const [typed, ours] of [
		["FreezeBalanceV2 5", "stake freeze"],
		["to-wei 1", "convert unit"],
		["increase-time 60", "dev time"],
		["forge create Token.sol:Token", "contract deploy"],
		["wallet vanity", "keystore new"],
		["ExchangeCreate", "exchange create"],
		["block Latest", "block show"],
	] as const)
		expect(unknownCommand(typed.split(" "), all).facts.hint).toBe(`did you mean coin ${ours}?`);
});

it.each([
	["--gas-limit=5", "did you mean --fee-limit?"],
	["--gas-price", expect.stringContaining("energy has one price for all")],
	["--nonce", expect.stringContaining("accounts have no nonce")],
	["--constructor-args", expect.stringContaining("arguments follow the contract")],
	["--private-key=00", expect.stringContaining("keys are never arguments")],
	["--silent", "did you mean --quiet?"],
	["--noed", "did you mean --node?"],
	["--unlike", undefined],
])("a flag of other tools, %s, gets a flag or a sentence", (flag, hint) => {
	expect(flagHint(flag, ["node", "fee-limit", "quiet", "dialect"])).toEqual(hint);
});

describe("a flag where a command is named", () => {
	it.each([
		["wallet --from dev send bob 1coin", "--from", "flags follow the command: coin wallet send … --from"],
		["--json wallet send bob", "--json", "flags follow the command: coin wallet … --json"],
		["block --bogus 5", "--bogus", "coin block --help lists the commands; flags follow them"],
		["--node http://x", "--node", "coin --help lists the commands; flags follow them"],
	])("is refused: %s", (line, flag, hint) => {
		const failure = flagBeforeCommand(line.split(" "), known);
		expect(failure?.message).toBe(`"${flag}" stands where a command is named`);
		expect(failure?.facts.hint).toBe(hint);
	});

	it("is refused like a value there, which would be answered by help", () => {
		expect(flagBeforeCommand(["stake", "energy=5coin", "--wait"], known)).toMatchObject({
			message: 'there is no command "stake energy=5coin"',
			facts: { hint: "did you mean coin stake freeze?" },
		});
		expect(flagBeforeCommand(["stake", "freeze", "x=5coin"], known)).toBeUndefined();
	});

	it.each([
		"wallet --help",
		"--version",
		"wallet send bob --from dev",
		"--no-color",
		"wallet",
		"walet --from dev",
	])("isn't one in: %s", (line) => expect(flagBeforeCommand(line.split(" "), known)).toBeUndefined());
});
