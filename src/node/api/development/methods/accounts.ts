/** Accounts that are funded, and accounts that act unsigned. */

import { toBase58Check } from "../../../../protocol/address.js";
import { toHex } from "../../../../protocol/bytes.js";
import { isRawArray } from "../../jsonrpc/json-reader.js";
import { checkCount, invalidArguments, readAccount, readBoolean, readText } from "../arguments.js";
import type { DevelopmentMethod, DevelopmentMethods } from "../method.js";

const impersonate: DevelopmentMethod = ({ control }, params) => {
	checkCount(params, 1);
	const account = readAccount(params[0]);
	if (!control.state.account.has(account))
		throw invalidArguments(`account ${toBase58Check(account)} does not exist`);
	control.conditions.unlock(account);
	return true;
};

const stopImpersonating: DevelopmentMethod = ({ control }, params) => {
	checkCount(params, 1);
	control.conditions.lock(readAccount(params[0]));
	return true;
};

const transactionId = (value: unknown): string => {
	const digits = typeof value === "string" ? value.replace(/^0x/i, "") : "";
	if (!/^[0-9a-f]{64}$/i.test(digits)) throw invalidArguments("hex decode error");
	return digits.toLowerCase();
};

export const accountMethods: DevelopmentMethods = [
	[
		["dev_accounts"],
		({ control }) =>
			[control.book.primary, ...control.book.more].flatMap(({ accounts, hdPath }) =>
				accounts.map(({ address, privateKey }, index) => ({
					address: toBase58Check(address),
					hex: toHex(address),
					privateKey: toHex(privateKey),
					path: `${hdPath}${index}`,
					balance: (control.state.account.get(address)?.balance ?? 0n).toString(),
				})),
			),
	],
	[
		[
			"dev_impersonateAccount",
			"tre_impersonateAccount",
			"anvil_impersonateAccount",
			"hardhat_impersonateAccount",
		],
		impersonate,
	],
	[
		[
			"dev_stopImpersonatingAccount",
			"tre_stopImpersonatingAccount",
			"anvil_stopImpersonatingAccount",
			"hardhat_stopImpersonatingAccount",
		],
		stopImpersonating,
	],
	[
		["tre_unlockedAccounts"],
		(context, params) => {
			checkCount(params, 1);
			const [list] = params;
			if (!isRawArray(list)) throw invalidArguments();
			const accounts = list.map(readAccount);
			for (const account of accounts) context.control.conditions.unlock(account);
			return true;
		},
	],
	[
		["dev_autoImpersonate", "anvil_autoImpersonateAccount"],
		({ control }, params) => {
			checkCount(params, 1);
			control.conditions.unlockAll = readBoolean(params[0]);
			return true;
		},
	],
	[
		["dev_dropTransaction"],
		({ control }, params) => {
			checkCount(params, 0, 1);
			return control.dropTransactions(params.length === 0 ? undefined : transactionId(params[0]));
		},
	],
	[
		["anvil_dropTransaction", "hardhat_dropTransaction"],
		async ({ control }, params) => {
			checkCount(params, 1);
			return (await control.dropTransactions(transactionId(readText(params[0])))) > 0;
		},
	],
	[["anvil_dropAllTransactions"], ({ control }) => control.dropTransactions()],
];
