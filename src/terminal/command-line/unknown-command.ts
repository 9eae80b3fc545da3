/** The failure for an unknown command, with the command that was probably meant. */

import { looksSecret } from "../../keystore/label.js";
import { Failure } from "../../wallet/failure.js";
import { nearest } from "../../wallet/values/suggestion.js";
import { HIDDEN } from "../keys/argument-secrets.js";

/** The existing commands, with their words separated by spaces. */
interface KnownCommands {
	readonly commands: readonly string[];
	readonly topics: readonly string[];
	/** Commands that are missing in the manifest, because an older build wrote it. */
	readonly unlisted: readonly string[];
	readonly hasAddressFlag: (command: string) => boolean;
}

/** @param words the command line */
export function unknownCommand(words: readonly string[], known: KnownCommands): Failure {
	const { commands, topics } = known;
	const typed = words.slice(0, firstFlag(words)).map((word) => (looksSecret(word) ? HIDDEN : word));
	const unlisted = known.unlisted.find((name) => `${typed.join(" ")} `.startsWith(`${name} `));
	if (unlisted !== undefined) {
		const message = `coin ${unlisted} is not in the list of commands that the last build wrote`;
		return new Failure("usage", message, { hint: "npm run build writes it" });
	}
	const surplus = afterCommand(typed, commands);
	if (surplus) {
		const hint = known.hasAddressFlag(surplus.command)
			? `did you mean --address ${surplus.word}?`
			: `coin ${surplus.command} --help shows what it takes`;
		const message = `coin ${surplus.command} takes no argument, but got "${surplus.word}"`;
		return new Failure("usage", message, { hint });
	}
	const depth = typed.findLastIndex((_, index) => topics.includes(typed.slice(0, index + 1).join(" "))) + 1;
	const wanted = typed.slice(0, depth + 1).join(" ");
	const group = typed.slice(0, depth).join(" ");
	const message = `there is no command "${wanted}"`;
	if (wanted === "") return new Failure("usage", message, { hint: "coin --version prints it" });
	const near = likely(typed, depth, commands, topics).filter((name) => name !== group);
	const hint =
		NOTHING_LIKE.get(sameSpelling(wanted)) ??
		(near.length > 0
			? `did you mean ${near
					.slice(0, 3)
					.map((name) => `coin ${name}`)
					.join(", or ")}?`
			: `coin ${group === "" ? "" : `${group} `}--help lists the commands`);
	return new Failure("usage", message, { hint });
}

/** Flags that are valid without a command. */
const LEADING_FLAGS: ReadonlySet<string> = new Set(["--no-color", "--version"]);

/**
 * The failure for a flag, or a word like `name=value`, before a command: the framework would print the topic's
 * help, as if nothing were wrong.
 * @param words the expanded command line
 */
export function flagBeforeCommand(
	words: readonly string[],
	{ commands, topics }: Pick<KnownCommands, "commands" | "topics">,
): Failure | undefined {
	const typed = words.slice(0, firstFlag(words));
	const value = typed.findIndex((word) => word.includes("="));
	const before = typed.slice(0, Math.max(0, value)).join(" ");
	if (topics.includes(before) && !commands.includes(before))
		return unknownCommand(words, { commands, topics, unlisted: [], hasAddressFlag: () => false });
	const flag = words.find((word, at) => at >= typed.length && !LEADING_FLAGS.has(word));
	const group = typed.join(" ");
	if (flag === undefined || words.some((word) => word === "--help" || word === "-h")) return undefined;
	if (commands.includes(group)) return undefined;
	if (group !== "" && !topics.includes(group)) return undefined;
	const named = words
		.slice(typed.length)
		.map((word) => [...typed, word].join(" "))
		.find((name) => commands.includes(name) || topics.includes(name));
	const message = `"${flag}" stands where a command is named`;
	const hint =
		named === undefined
			? `coin ${group === "" ? "" : `${group} `}--help lists the commands; flags follow them`
			: `flags follow the command: coin ${named} … ${flag}`;
	return new Failure("usage", message, { hint });
}

/** @param depth number of words that form a topic */
function likely(
	typed: readonly string[],
	depth: number,
	commands: readonly string[],
	topics: readonly string[],
): string[] {
	const wanted = typed.slice(0, depth + 1);
	const names = otherNames();
	const asked = sameSpelling(wanted.join(" "));
	// `stake 5coin` omits the action.
	const other = names.get(asked) ?? names.get(asked.replace(/ \S*\d\S*$/, " 1"));
	if (other !== undefined && commands.includes(other)) return [other];
	const meant = sameMeaning(wanted, commands);
	if (meant.length > 0) return meant;
	return [
		...new Set([
			...sameWord(wanted, commands),
			...nearestCommand(typed, [...new Set([...commands, ...topics])]),
		]),
	];
}

const sameSpelling = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

/** A complete command followed by a word that it doesn't take: the framework reads both as one name. */
function afterCommand(
	words: readonly string[],
	names: readonly string[],
): { readonly command: string; readonly word: string } | undefined {
	for (let count = words.length - 1; count > 0; count--) {
		const command = words.slice(0, count).join(" ");
		const isGroup = names.some((name) => name.startsWith(`${command} `));
		if (names.includes(command) && !isGroup) return { command, word: words[count] as string };
	}
	return undefined;
}

/** Names of actions in other programs, with this program's, most likely first. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
	add: ["new", "create", "freeze", "set"],
	create: ["new", "issue", "add"],
	delete: ["remove"],
	get: ["show"],
	info: ["show", "status"],
	ls: ["list"],
	new: ["create", "add", "issue"],
	remove: ["delete", "unfreeze"],
	rm: ["delete", "remove", "unfreeze"],
	view: ["show"],
};

/** Names of flags in other tools, with their names here, or else a sentence. */
const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
	["--rpc-url", "--node"],
	["--gas-limit", "--fee-limit"],
	["--gas", "--fee-limit"],
	["--block-time", "--seal"],
	["--confirmations", "--wait"],
	["--sender", "--from"],
	["--unlocked", "--from"],
	["--amount", "--value"],
	["--rpc", "--node"],
	["--name", "--contract"],
	["--silent", "--quiet"],
	[
		"--verify",
		"deploying with --wait compares the code with what was compiled, and coin contract verify does it later",
	],
	[
		"--gas-price",
		"energy has one price for all, so there is nothing to bid: coin contract estimate tells what a call costs",
	],
	[
		"--constructor-args",
		"the constructor's arguments follow the contract: coin contract deploy <file.sol> <argument>…",
	],
	["--broadcast", "what is signed is sent at once; --dry-run, --build and --sign stop before that"],
	[
		"--private-key",
		"keys are never arguments: coin keystore import key <name> - keeps one, and --from <name> acts with it",
	],
]);

/** Advice about an unknown flag. @param typed may have a value @param known the command's flags, without dashes */
export function flagHint(typed: string, known: readonly string[]): string | undefined {
	const name = typed.replace(/=.*/s, "");
	const flags = known.map((flag) => `--${flag}`);
	const other = OTHER_FLAGS.get(name.startsWith("--private-key") ? "--private-key" : name);
	const sentence = other?.startsWith("--") ? undefined : (other ?? NOTHING_LIKE.get(sameSpelling(name)));
	if (sentence !== undefined) return sentence;
	const [near] = other !== undefined && flags.includes(other) ? [other] : nearest(name, flags);
	return near && `did you mean ${near}?`;
}

/** Concepts of other networks that don't exist here. */
const NOTHING_LIKE: ReadonlyMap<string, string> = new Map([
	["nonce", "accounts have no nonce: a transaction names a recent block, as coin chain head --ref prints it"],
	["accesslist", "transactions have no access lists: coin contract estimate tells what a call costs"],
]);

/** Commands with their names in other tools (cast, anvil, chisel, wallet-cli, explorers), words possibly joined; 1 is any value. */
const OTHER_NAMES = `
dev set-balance: faucet, fund, dev fund, dev faucet; dev time: increasetime, dev increasetime, warp, dev warp
node start: anvil, devnet, start, dev start; console: chisel, repl, shell, node console
wallet send: transfer, pay, token transfer, token send, tx send, sendcoin, transferasset, sendtrx, sendtoken, sendtransaction; wallet build: mktx, build, tx build
wallet sign: tx sign, signtransaction, addtransactionsign; wallet broadcast: tx broadcast, publish, sendraw, broadcasttransaction
wallet qr: qr, receive, account qr; token allow: approve, contract approve, token approve; token issue: assetissue, createtoken
token list: tokens, listassetissue; token buy: participateassetissue; block show: block latest, getblock, getnowblock, getcurrentblock
block find: findblock, block time, age
chain head: block number, blocknumber, height; chain id: chainid; node status: client, clientversion
chain prices: gas, gasprice, basefee, chain gasprice; chain params: parameters, getchainparameters; chain nodes: listnodes
node status: peers, node peers, nodeinfo, getnodeinfo; network probe: ping; account show: getaccount; account balance: getbalance
account resources: getaccountresource, getaccountresources, getaccountnet, energy, bandwidth, getbandwidth; account create: createaccount
account rename: updateaccount, account name; keystore new: registerwallet, generateaddress; keystore list: keys, wallets
keystore import key: importwallet, wallet import; keystore import mnemonic: importwalletbymnemonic, recover
keystore export key: backupwallet, wallet export, wallet privatekey, wallet decryptkeystore, wallet dk; keystore export mnemonic: backupwallet2mnemonic
keystore passwd: changepassword, keystore changepassword, keystore changepasswd, keystore password; keystore unlock: login
keystore lock: logout; contract call: read, contract read, triggerconstantcontract
contract send: write, contract write, triggercontract; contract deploy: deploycontract, contract create
contract logs: events, contract events; contract show: implementation, admin, proxy, getcontract
account resolve: wallet address, resolvename, lookupaddress; contract verify: verifycontract
console: script; tx prove: proof; contract address: computeaddress, create2; contract storage: getstorageat, variables, index; contract code: codesize, codehash
contract estimate: estimateenergy, estimategas; abi selector: sig, selector; abi encode: calldata, abiencode
abi decode: abidecode, decodeabi; abi calldata-decode: 4bytedecode, prettycalldata, decodecalldata
abi event: sigevent, decodeevent, topic; abi error: decodeerror, abi decodeerror; contract abi: selectors; convert hash: keccak, keccak256, sha3
convert unit: towei, fromwei, fromsun, tounit, tosun, parseunits, formatunits; convert hex: tohex, fromutf8; convert dec: todec
convert utf8: toutf8, toascii; tx show: gettransactionbyid; tx receipt: gettransactioninfobyid; tx trace: run
tx pending: mempool, txpool, pending; message sign: signmessage, wallet signmessage; message verify: verifymessage, ecrecover, wallet verify
permission update: multisig, updateaccountpermission; stake freeze: freezebalance, freezebalancev2, stake 1
stake unfreeze: unfreezebalance, unfreezebalancev2, unstake; stake withdraw: withdrawexpireunfreeze
stake delegate: delegateresource; stake undelegate: undelegateresource; vote cast: vote set, votewitness, vote 1
witness list: witnesses, listwitnesses; witness create: createwitness; reward withdraw: claim, reward claim, withdrawbalance
reward show: getreward, rewards; proposal list: proposals, listproposals; proposal create: createproposal
proposal approve: approveproposal, proposal vote; exchange trade: swap, exchangetransaction; contact add: alias, label
contact list: contract list, contracts, deployments, contract deployments, addressbook
keystore new: vanity, wallet vanity, keystore vanity, wallet newmnemonic; contract deploy: forge; keystore delete: clearwalletkeystore, wallet remove
abi 4byte: 4byteevent; abi calldata-decode: 4bytecalldata; tx decode: decodetransaction, decodetx; convert address: tochecksumaddress, tochecksum
convert hex: tobytes32, touint256, toint256, formatbytes32string; convert utf8: parsebytes32string; contract clear-abi: clearcontractabi
contract set-percent: updatesetting; contract set-energy-limit: updateenergylimit; contract show: getcontractinfo; stake cancel: cancelallunfreezev2
stake list: getdelegatedresource, getdelegatedresourcev2, getdelegatedresourceaccountindex, getdelegatedresourceaccountindexv2; stake max: getcandelegatedmaxsize
stake show: getavailableunfreezecount, getcanwithdrawunfreezeamount; exchange create: exchangecreate; exchange inject: exchangeinject
exchange withdraw: exchangewithdraw; exchange list: listexchanges, listexchangespaginated; exchange show: getexchange, getexchangebyid
market sell: marketsellasset; market cancel: marketcancelorder; market orders: getmarketorderbyaccount; market order: getmarketorderbyid
market pairs: getmarketpairlist; market prices: getmarketpricebypair; proposal show: getproposal, getproposalbyid; proposal delete: deleteproposal
wallet approvals: gettransactionsignweight, gettransactionapprovedlist; token show: getassetissuebyid, getassetissuebyname; token update: updateasset
token release: unfreezeasset; token list: listassetissuepaginated; block show: getblockbyid, getblockbynum; witness show: getbrokerage
witness set-brokerage: updatebrokerage; witness update: updatewitness; chain prices: getenergyprices, getbandwidthprices; chain maintenance: getnextmaintenancetime
account set-id: setaccountid; profile use: switchnetwork; profile show: currentnetwork; wallet use: switchwallet; keystore rename: modifywalletname
keystore derive: generatesubaccount; keystore import file: importwalletbykeystore; keystore export file: exportwalletkeystore; tx history: viewtransactionhistory
keystore export mnemonic: exportwalletmnemonic
rpc: request, api
`;

/** This program's commands by their names in other tools; parsed only if a command is unknown. */
export function otherNames(): ReadonlyMap<string, string> {
	const entries = OTHER_NAMES.trim().split(/; |\n/);
	return new Map(
		entries.flatMap((entry) => {
			const [ours = "", others = ""] = entry.split(": ");
			return others.split(", ").map((other) => [other, ours] as const);
		}),
	);
}

/** Commands of the given topic whose action is a synonym of the one that was typed. */
function sameMeaning(words: readonly string[], names: readonly string[]): string[] {
	if (words.length < 2) return [];
	const topic = words.slice(0, -1).join(" ");
	const others = SYNONYMS[words.at(-1) ?? ""] ?? [];
	return others.map((word) => `${topic} ${word}`).filter((name) => names.includes(name));
}

/** Commands of any topic, or of the given one, that end with the word: `send` is `wallet send`. */
function sameWord(words: readonly string[], names: readonly string[]): string[] {
	const word = words.at(-1) ?? "";
	const other = { ls: "list", create: "new" }[word] ?? word;
	const found = names.filter((name) => name.endsWith(` ${other}`));
	const [topic] = words;
	// Other tools call the keystore's keys wallets.
	const preferred = topic === "wallet" ? "keystore" : topic === "send" ? "wallet" : "account";
	return found.sort((a, b) => Number(b.startsWith(preferred)) - Number(a.startsWith(preferred))).slice(0, 2);
}

function firstFlag(words: readonly string[]): number {
	const index = words.findIndex((word) => word.startsWith("-"));
	return index < 0 ? words.length : index;
}

/** The commands most similar to the longest prefix of the words that resembles any; arguments may follow. */
function nearestCommand(words: readonly string[], names: readonly string[]): string[] {
	for (let count = Math.min(3, words.length); count > 0; count--) {
		const sameLength = names.filter((name) => name.split(" ").length === count);
		const near = nearest(words.slice(0, count).join(" "), sameLength);
		if (near.length > 0) return near;
	}
	return [];
}
