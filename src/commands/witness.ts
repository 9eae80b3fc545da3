/** `coin witness …`: block producers and candidates. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, utf8 } from "../protocol/bytes.js";
import { writeWitnessSet } from "../protocol/inclusion/witness-set.js";
import {
	UpdateBrokerageContract,
	WitnessCreateContract,
	WitnessUpdateContract,
} from "../protocol/messages.js";
import { accountQuery, accountQueryFlags, query } from "../terminal/base/command-row.js";
import { nodeFlags, required, solidityFlag } from "../terminal/flags/flags.js";
import { writeNewFile } from "../terminal/output/new-file.js";
import { printBytes } from "../terminal/output/output.js";
import { lines, orNull } from "../terminal/schema/result-shape.js";
import { witnessShape } from "../terminal/schema/view-shapes.js";
import { acting, sendsNow } from "../terminal/sending/rows.js";
import { Failure, onRefusal } from "../wallet/failure.js";
import { fetchWitnessSet } from "../wallet/inclusion/witness-keys.js";
import { chainFees } from "../wallet/node/chain-parameters.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { formatCoin } from "../wallet/values/amount.js";
import { parsePercent } from "../wallet/values/integer-text.js";
import { rankedWitnesses, viewWitnesses } from "../wallet/view/witnesses.js";

export const WitnessCreate = acting({
	summary: "Apply to become a super representative",
	description: "The network burns a fee of thousands of coins, and there is no way back.",
	examples: ["<%= config.bin %> witness create https://ann.example --from ann --yes"],
	args: {
		url: required("page about the candidate"),
	},
	plan: async ({ args, actor }) => {
		const { client, owner, account } = await actor();
		return {
			...contractOf(WitnessCreateContract, { owner_address: owner, url: utf8(args.url) }),
			confirmation: 2,
			explain: async (failure) => {
				if (failure.code !== "contract_validate") return failure;
				const { witnessCreation: sun } = await chainFees(client).catch(
					onRefusal({ witnessCreation: undefined }),
				);
				if (sun === undefined || account.balance >= sun) return failure;
				const hint = `it costs ${formatCoin(sun)}, and the account has ${formatCoin(account.balance)}`;
				return failure.with({ hint });
			},
		};
	},
});

export const WitnessKeySet = query({
	summary: "Print the active witnesses with the keys that sign their blocks",
	description:
		"As this node has them now: whoever checks proofs by this file (coin tx verify) trusts the node that it was asked of.",
	examples: ["<%= config.bin %> witness keys > witnesses.json"],
	flags: {
		...nodeFlags,
		out: Flags.string({ description: "new file to write (default: standard output)", helpValue: "<path>" }),
	},
	run: async ({ flags, client, print }) => {
		const set = await fetchWitnessSet(client);
		const text = writeWitnessSet(set);
		if (flags.out === undefined) return printBytes(Buffer.from(text));
		await writeNewFile(flags.out, text);
		print.record({ file: flags.out, witnesses: set.witnesses.length });
	},
});

export const WitnessList = query({
	summary: "List witnesses by votes",
	examples: ["<%= config.bin %> witness list --current"],
	result: lines(witnessShape),
	flags: {
		...nodeFlags,
		...solidityFlag,
		current: Flags.boolean({ description: "only those that produce blocks in this cycle" }),
	},
	run: async ({ flags, client, view, print }) => {
		const ranked = await rankedWitnesses(client, view);
		const shown = flags.current ? ranked.filter(({ witness }) => witness.isJobs) : ranked;
		print.list(
			await viewWitnesses(client, shown, view),
			["rank", "address", "votes", "current", "produced", "missed", "brokerage", "url"],
			"no witnesses",
		);
	},
});

export const WitnessSetBrokerage = acting({
	summary: "Set the share of its rewards that a witness keeps",
	description: "Takes effect with the next maintenance; voters get the rest.",
	examples: ["<%= config.bin %> witness set-brokerage 30 --from alice"],
	args: {
		percent: required("0 to 100"),
	},
	plan: async ({ args, actor }) => {
		const brokerage = parsePercent(args.percent);
		return contractOf(UpdateBrokerageContract, { owner_address: (await actor()).owner, brokerage });
	},
});

export const WitnessShow = accountQuery({
	summary: "Show a witness: its votes, rank, blocks and brokerage",
	examples: ["<%= config.bin %> witness show alice"],
	args: {
		account: required("address or label"),
	},
	result: orNull(witnessShape),
	flags: {
		...accountQueryFlags,
		"or-null": Flags.boolean({ description: "print null if it is not a witness" }),
	},
	run: async ({ flags, client, view, address, print }) => {
		const ranked = await rankedWitnesses(client, view);
		const found = ranked.filter(({ witness }) => equalBytes(witness.address, address));
		const [shown] = await viewWitnesses(client, found, view);
		if (shown) return print.record(shown);
		if (flags["or-null"]) return print.scalar(null);
		throw new Failure("not_found", `${toBase58Check(address)} is not a witness`);
	},
});

export const WitnessUpdate = acting({
	summary: "Change the page of a witness",
	examples: ["<%= config.bin %> witness update https://ann.example --from alice"],
	args: {
		url: required("page about the witness"),
	},
	plan: async ({ args, flags, actor }) => {
		const { owner, client } = await actor();
		const ranked = sendsNow(flags) ? await rankedWitnesses(client, "full") : [];
		const found = ranked.find(({ witness }) => equalBytes(witness.address, owner));
		if (found?.witness.url === args.url) return { nothing: "the witness has this page already" };
		return contractOf(WitnessUpdateContract, { owner_address: owner, update_url: utf8(args.url) });
	},
});
