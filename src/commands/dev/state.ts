/** `coin dev set-…`: sets single values in the state of a development chain. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { Permission } from "../../protocol/messages.js";
import { development, developmentFlags } from "../../terminal/base/development-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { required } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import { type Json, readJson } from "../../wallet/json.js";
import { readPermissionDocument } from "../../wallet/permission/permission-set.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin, parseCoinAmount } from "../../wallet/values/amount.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export const DevImpersonate = development({
	summary: "Let an account of a development chain act without a signature",
	examples: ["<%= config.bin %> dev impersonate bob"],
	args: {
		account: required("address or label"),
	},
	flags: {
		...developmentFlags,
		stop: Flags.boolean({ description: "ask for its signature again" }),
	},
	run: async ({ args, flags, change, accountHex, done }) => {
		const method = flags.stop ? "dev_stopImpersonatingAccount" : "dev_impersonateAccount";
		done(
			await change(method, [await accountHex(args.account)]),
			flags.stop ? `${args.account} needs its signature again` : `${args.account} acts without a signature`,
		);
	},
});

export const DevSetBalance = development({
	summary: "Set the balance of an account of a development chain",
	examples: ["<%= config.bin %> dev set-balance alice 500coin"],
	args: {
		account: required("address or label"),
		amount: required("with its unit"),
	},
	flags: developmentFlags,
	run: async ({ args, change, accountHex, done }) => {
		const account = await accountHex(args.account);
		const sun = parseCoinAmount(args.amount);
		done(await change("dev_setBalance", [account, sun.toString()]), `${args.account} has ${formatCoin(sun)}`);
	},
});

export const DevSetCode = development({
	summary: "Make an account of a development chain a contract with this code",
	examples: ["<%= config.bin %> dev set-code store @Store.bin"],
	args: {
		account: required("address or label"),
		code: required("0x…, @file of hex, or -; 0x removes it"),
	},
	flags: developmentFlags,
	run: async ({ args, change, accountHex, done }) => {
		const code = parseHexBytes(await flagText(args.code, "the code"));
		const account = await accountHex(args.account);
		done(
			await change("dev_setCode", [account, `0x${toHex(code)}`]),
			code.length === 0
				? `${args.account} has no code`
				: `${args.account} is a contract with ${code.length} bytes of code`,
		);
	},
});

export const DevSetParam = development({
	summary: "Set a chain parameter of a development chain, without a proposal",
	examples: ["<%= config.bin %> dev set-param energyFee=210"],
	args: {
		setting: required("number or any name of the parameter, =, value"),
	},
	flags: developmentFlags,
	run: async ({ args, change, done }) => {
		const match = /^([^=]+)=(.+)$/.exec(args.setting);
		if (!match?.[1] || !match[2]) throw new Failure("bad_value", `"${args.setting}": write <name>=<value>`);
		const params = [match[1].trim(), parseNatural(match[2]).toString()];
		done(await change("dev_setParameter", params), `${params[0]} is ${params[1]}`);
	},
});

export const DevSetPermission = development({
	summary: "Replace the permissions of an account of a development chain",
	description: "Nobody signs and no fee is paid. The document is one as permission show prints it.",
	examples: ["<%= config.bin %> permission show alice --json | <%= config.bin %> dev set-permission bob -"],
	args: {
		account: required("address or label"),
		document: required("JSON, @file, or -"),
	},
	flags: developmentFlags,
	run: async ({ args, settings: load, change, accountHex, done }) => {
		const settings = await load();
		const document = read(await flagText(args.document, "the permissions"));
		const set = await readPermissionDocument(document, (text) => accountNamed(settings, text));
		const account = await accountHex(args.account);
		const permissions = {
			owner: sent(set.owner),
			...(set.witness ? { witness: sent(set.witness) } : {}),
			actives: set.actives.map(sent),
		};
		done(
			await change("dev_setPermission", [account, permissions]),
			`the permissions of ${args.account} are replaced`,
		);
	},
});

function read(text: string): Json {
	try {
		return readJson(text);
	} catch (error) {
		if (error instanceof SyntaxError) throw new Failure("bad_value", "the permissions are not JSON");
		throw error;
	}
}

/** A permission with member names of the network's messages. */
function sent({ permission_name, threshold, operations, keys }: Readonly<Permission>): object {
	return {
		permission_name,
		threshold,
		...(operations.length > 0 ? { operations: toHex(operations) } : {}),
		keys: keys.map(({ address, weight }) => ({ address: toBase58Check(address), weight })),
	};
}

export const DevSetStake = development({
	summary: "Set what an account of a development chain has staked",
	description: "The stakes come out of nowhere: the balance stays. What isn't named stays.",
	examples: ["<%= config.bin %> dev set-stake alice --energy 5000coin --votes 100"],
	args: {
		account: required("address or label"),
	},
	flags: {
		...developmentFlags,
		bandwidth: Flags.string({ description: "coins staked for bandwidth", helpValue: "<amount>" }),
		energy: Flags.string({ description: "coins staked for energy", helpValue: "<amount>" }),
		votes: Flags.string({ description: "votes that the account can cast", helpValue: "<n>" }),
	},
	run: async ({ args, flags, change, accountHex, done }) => {
		const { bandwidth, energy, votes } = flags;
		if (bandwidth === undefined && energy === undefined && votes === undefined) {
			throw new Failure("usage", "say what is staked: --bandwidth, --energy or --votes");
		}
		const staked = {
			...(bandwidth === undefined ? {} : { bandwidthSun: parseCoinAmount(bandwidth).toString() }),
			...(energy === undefined ? {} : { energySun: parseCoinAmount(energy).toString() }),
			...(votes === undefined ? {} : { votes: parseNatural(votes).toString() }),
		};
		const account = await accountHex(args.account);
		done(
			await change("dev_setResources", [account, staked]),
			`${args.account} has staked what was asked for: coin stake show ${args.account}`,
		);
	},
});

export const DevSetStorage = development({
	summary: "Set a slot of the storage of a contract of a development chain",
	examples: ["<%= config.bin %> dev set-storage TMVQ… 0 42"],
	args: {
		contract: required("address or label"),
		slot: required("number, or 0x…"),
		value: required("number, or 0x… of up to 32 bytes"),
	},
	flags: developmentFlags,
	run: async ({ args, change, accountHex, done }) => {
		const account = await accountHex(args.contract);
		done(
			await change("dev_setStorageAt", [account, args.slot, args.value]),
			`the slot ${args.slot} of ${args.contract} holds ${args.value}`,
		);
	},
});

export const DevSetToken = development({
	summary: "Set what an account of a development chain holds of an ORC-10 token",
	examples: ["<%= config.bin %> dev set-token alice 1000001 500"],
	args: {
		account: required("address or label"),
		token: required("id of the token"),
		units: required("in smallest units"),
	},
	flags: developmentFlags,
	run: async ({ args, change, accountHex, done }) => {
		const account = await accountHex(args.account);
		const params = [account, parseNatural(args.token).toString(), parseNatural(args.units).toString()];
		done(
			await change("dev_setTokenBalance", params),
			`${args.account} holds ${params[2]} units of token ${params[1]}`,
		);
	},
});
