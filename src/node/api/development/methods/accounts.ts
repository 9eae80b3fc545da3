/** Funding accounts, and accounts that act unsigned. */

import { toBase58Check } from "../../../../protocol/address.js";
import type { SignedBlock } from "../../../../protocol/block.js";
import { toHex } from "../../../../protocol/bytes.js";
import { BlockHeader, TransactionInfo } from "../../../../protocol/messages.js";
import { transactionById, transactionInfosOfBlock } from "../../../chain/block-store.js";
import type { ApiContext } from "../../context.js";
import { readersOf } from "../../jsonrpc/answers.js";
import { isRawArray } from "../../jsonrpc/json-reader.js";
import { blockTag } from "../../jsonrpc/lenient/parameters.js";
import { blockBySelector } from "../../jsonrpc/methods/blocks.js";
import { data } from "../../jsonrpc/values.js";
import { checkCount, invalidArguments, readAccount, readBoolean, readText } from "../arguments.js";
import { type DevelopmentMethod, type DevelopmentMethods, ordinaryContext } from "../method.js";

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

const ofBlock =
	(raw: (block: SignedBlock, context: ApiContext) => string | readonly string[]): DevelopmentMethod =>
	(development, params) => {
		checkCount(params, 1);
		const context = ordinaryContext(development);
		const block = blockBySelector(context, readText(blockTag(readText(params[0]))));
		if (!block) throw invalidArguments("block not found");
		return raw(block, context);
	};

/** What Ethereum's tools read as raw bytes: here those that the network stores and sends, in Protocol Buffers. */
export const rawMethods: DevelopmentMethods = [
	[["debug_getRawBlock"], ofBlock(({ bytes }) => data(bytes))],
	[["debug_getRawHeader"], ofBlock(({ header }) => data(BlockHeader.encode(header)))],
	[
		["debug_getRawReceipts"],
		ofBlock(({ number }, { state }) =>
			transactionInfosOfBlock(state, number).map((info) => data(TransactionInfo.encode(info))),
		),
	],
	[
		["debug_getRawTransaction"],
		(development, params) => {
			checkCount(params, 1);
			const context = ordinaryContext(development);
			const id = readersOf(context).hash(readText(params[0]));
			// Nothing where there is none, as Ethereum's nodes have it.
			return data(transactionById(context.state, id)?.bytes ?? new Uint8Array());
		},
	],
	// A block that breaks a rule is not kept.
	[["debug_getBadBlocks"], () => []],
];
