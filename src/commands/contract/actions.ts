/** `coin contract …`: deploying contracts and changing own ones. */

import { Flags } from "@oclif/core";
import { contractAddress, toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import {
	ClearABIContract,
	type SmartContract,
	UpdateEnergyLimitContract,
	UpdateSettingContract,
} from "../../protocol/messages.js";
import { valueFlags, valuesOf } from "../../terminal/contract/contract-input.js";
import { checkLibrary, deployable, deploymentFlags } from "../../terminal/contract/deployment-input.js";
import {
	decimalsFlags,
	feeLimitFlags,
	requestedFeeLimit,
	statedDecimals,
} from "../../terminal/flags/acting-flags.js";
import { contractArgument, required } from "../../terminal/flags/flags.js";
import { acting, sendsNow } from "../../terminal/sending/rows.js";
import { interfaceOf } from "../../wallet/abi/interface.js";
import { deploymentPlan } from "../../wallet/actions/contract-plan.js";
import { addContact, checkNewContact, removeContact } from "../../wallet/configuration/contacts.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { onRefusal } from "../../wallet/failure.js";
import { fetchGenesisId } from "../../wallet/node/chain-query.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { NamedAmounts } from "../../wallet/token/named-amount.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseCount, parsePercent } from "../../wallet/values/integer-text.js";
import { fetchContract, isGone } from "../../wallet/view/contract-record.js";

export const ContractDeploy = acting({
	summary: "Deploy a contract",
	description:
		"Takes a Solidity file, which is compiled with the package solc of its project (node_modules, remappings and settings of foundry.toml), a compiler's or " +
		"toolchain's file, or code and interface by themselves; the constructor's arguments follow, amounts of tokens as 5@gold. " +
		"Settings in hardhat.config aren't read: --artifact artifacts/build-info/<id>.json has them. " +
		"The contract's address is known, and printed, before the transaction is sent. Interface and layout of storage are kept for " +
		"later calls; with --wait the code is compared with what was compiled here, and a development chain gets the source. --label adds the contract to the contacts.",
	usage: "contract deploy (<file.sol[:Name]> | --artifact <path> | --bin <code>) [<argument>...]",
	examples: [
		"<%= config.bin %> contract deploy contracts/Token.sol:Token 1000 --label token --wait",
		"<%= config.bin %> contract deploy --artifact build/Store.json 42 --wait",
		"<%= config.bin %> contract deploy contracts/Market.sol:Market --library Sums=store",
		"<%= config.bin %> contract deploy --bin @Store.bin --abi @Store.abi 42 --percent 50",
	],
	strict: false,
	flags: {
		...feeLimitFlags,
		...decimalsFlags,
		...valueFlags,
		...deploymentFlags,
		percent: Flags.string({
			description: "percentage of energy that callers pay",
			default: "100",
			helpGroup: "CONTRACT",
		}),
		"origin-energy-limit": Flags.string({
			description: "energy that you pay for one call at most",
			default: "10000000",
			helpGroup: "CONTRACT",
		}),
		label: Flags.string({
			description: "label of a new contact for the contract",
			helpValue: "<label>",
			helpGroup: "CONTRACT",
		}),
	},
	plan: async ({ argv, flags, actor, settings, json, note }) => {
		const callerPercent = BigInt(parsePercent(flags.percent));
		const ownerEnergyLimit = parseCount(flags["origin-energy-limit"]);
		const { deployed, texts } = await deployable(flags, argv, async (named) => {
			const address = await accountNamed(await settings(), named);
			if (!flags.offline) await checkLibrary((await actor()).client, address);
			return address;
		});
		const { code, abi, name, storageLayout, compiled } = deployed;
		const items = interfaceOf(abi);
		const context = await actor();
		const amounts = new NamedAmounts(context.client, flags.offline, statedDecimals(flags));
		const values = await valuesOf(flags, amounts);
		const { label } = flags;
		const isFree = label === undefined || (!flags.offline && (await isGone(context.client, label)));
		if (!isFree) await checkNewContact(context.settings, label);
		const deployment = {
			code,
			abi,
			name,
			arguments: texts,
			callerPercent,
			ownerEnergyLimit,
			offline: flags.offline,
			...values,
			...requestedFeeLimit(flags),
		};
		const plan = await deploymentPlan(context, deployment, amounts);
		let created: Uint8Array | undefined;
		const verified = async (): Promise<object> => {
			if (!compiled || !created) return {};
			const { storeDeployed } = await import("./verify.js");
			return storeDeployed(context.client, created, compiled.contract, compiled.made);
		};
		return {
			...plan,
			nodesWord: amounts.nodesWord,
			takesDecimals: true,
			details: amounts.details,
			result: flags["dry-run"] ? { feeLimit: plan.feeLimitSun } : {},
			afterSending: async ({ transaction }) => {
				const address = contractAddress(transaction.id, context.owner);
				created = address;
				// The on-chain record drops tuple members.
				if (items.length > 0) await keepInterface(context.settings, address, abi, storageLayout);
				// A chain that seals at once has the code already, and nobody asks for more without waiting.
				if (!flags.wait && !flags["wait-included"]) await verified().catch(onRefusal({}));
				if (label === undefined) {
					// A name that nobody chose could be taken for another deployment, or for a payee.
					const named = `coin contact add <label> ${toBase58Check(address)}`;
					return json ? undefined : note(`${named} gives the contract a label for later commands`);
				}
				const contract = toHex(await fetchGenesisId(context.client));
				const contact = { label, address, note: `${name || "contract"}, ${transaction.idHex}`, contract };
				const { contactsFile } = context.settings;
				await addContact(contactsFile, contact, note, isFree);
			},
			found: verified,
			afterFailing: async () => {
				const { settings, client } = context;
				if (label !== undefined && (await isGone(client, label)))
					await removeContact(settings.contactsFile, label, note);
			},
		};
	},
});

/** The record of a contract that the account may change; undefined otherwise: the network reports why. */
async function ownContract(
	client: NodeClient,
	address: Uint8Array,
	owner: Uint8Array,
): Promise<Readonly<SmartContract> | undefined> {
	const record = await fetchContract(client, address).catch(onRefusal(undefined, "not_found"));
	const contract = record?.smart_contract;
	return contract && equalBytes(contract.origin_address, owner) ? contract : undefined;
}

export const ContractClearAbi = acting({
	summary: "Remove the interface that is stored with a contract, for good",
	examples: ["<%= config.bin %> contract clear-abi store --yes --wait"],
	args: contractArgument,
	plan: async ({ args, flags, actor }) => {
		const { owner, settings, client } = await actor();
		const contract_address = await accountNamed(settings, args.address);
		const known = sendsNow(flags) ? await ownContract(client, contract_address, owner) : undefined;
		if (known && (known.abi?.entrys ?? []).length === 0)
			return { nothing: "no interface is stored with the contract" };
		return {
			...contractOf(ClearABIContract, { owner_address: owner, contract_address }),
			confirmation: 2,
		};
	},
});

export const ContractSetEnergyLimit = acting({
	summary: "Set how much energy the owner of a contract pays for one call at most",
	examples: ["<%= config.bin %> contract set-energy-limit store 1000000"],
	args: {
		...contractArgument,
		limit: required("energy, more than 0"),
	},
	plan: async ({ args, flags, actor }) => {
		const origin_energy_limit = parseCount(args.limit);
		const { owner, settings, client } = await actor();
		const contract_address = await accountNamed(settings, args.address);
		const known = sendsNow(flags) ? await ownContract(client, contract_address, owner) : undefined;
		if (known?.origin_energy_limit === origin_energy_limit) return { nothing: "this is the limit already" };
		return contractOf(UpdateEnergyLimitContract, {
			owner_address: owner,
			contract_address,
			origin_energy_limit,
		});
	},
});

export const ContractSetPercent = acting({
	summary: "Set which percentage of a contract's energy its callers pay",
	examples: ["<%= config.bin %> contract set-percent store 50"],
	args: {
		...contractArgument,
		percent: required("0 to 100"),
	},
	plan: async ({ args, flags, actor }) => {
		const percent = BigInt(parsePercent(args.percent));
		const { owner, settings, client } = await actor();
		const contract_address = await accountNamed(settings, args.address);
		const known = sendsNow(flags) ? await ownContract(client, contract_address, owner) : undefined;
		if (known?.consume_user_resource_percent === percent)
			return { nothing: "this is the percentage already" };
		return contractOf(UpdateSettingContract, {
			owner_address: owner,
			contract_address,
			consume_user_resource_percent: percent,
		});
	},
});
