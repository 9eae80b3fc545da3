/** Commands that query or change a development chain by its own methods (protocol/development-chain §4.4). */

import type { Command, Interfaces } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json } from "../../wallet/json.js";
import { callJsonRpc, developmentUrl } from "../../wallet/node/json-rpc.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { keystoreFlags, nodeFlags } from "../flags/flags.js";
import { type CommandContext, type CommandRow, command } from "./command-row.js";

/** Flags of every such command. */
export const developmentFlags = { ...nodeFlags, ...keystoreFlags };

/** Calls a method of development chains. @throws {Failure} `not_served` at any other node */
async function askDevelopment(settings: Settings, method: string, params: readonly unknown[]): Promise<Json> {
	const url = developmentUrl(settings);
	try {
		return await callJsonRpc(new NodeClient(settings), method, params, url);
	} catch (error) {
		if (!(error instanceof Failure) || error.code !== "not_served") throw error;
		const { host } = new URL(url);
		throw new Failure("not_served", `no development chain answers at ${host}`, {
			...error.facts,
			hint: `coin node start starts one and prints the address of its gateway; coin profile set ${settings.profile} gateway=<url> names another one`,
		});
	}
}

/** Checks that the chain is the one the profile expects. @returns its genesis block id @throws {Failure} `wrong_network` */
async function meantChain(settings: Settings): Promise<string> {
	const info = await askDevelopment(settings, "dev_info", []);
	const genesis = isRecord(info) ? String(info["genesis"]) : "";
	if (settings.genesis !== undefined && !genesis.endsWith(settings.genesis)) {
		throw new Failure(
			"wrong_network",
			`the node serves the chain ${genesis}, the profile "${settings.profile}" means ${settings.genesis}`,
		);
	}
	return genesis;
}

export interface DevelopmentCommandContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends CommandContext<A, F> {
	/** Calls a method. @throws {Failure} */
	ask(method: string, params: readonly unknown[]): Promise<Json>;
	/** Calls a method that changes the chain, after checking that it is the intended one, and reports which one that is. @throws {Failure} */
	change(method: string, params: readonly unknown[]): Promise<Json>;
	/** Resolves an account to the form that the methods take. @throws {Failure} */
	accountHex(text: string): Promise<string>;
	/** Prints the outcome of a change: a message for people, and `true` or `false` for programs. */
	done(answer: Json, message: string): void;
}

/** Makes the class of a command that queries or changes a development chain. */
export function development<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	run,
	...words
}: CommandRow<A, F, DevelopmentCommandContext<A, F>>): Command.Class {
	return command<A, F>({
		...words,
		run: async (context) => {
			const { settings, print, note } = context;
			const ask = async (method: string, params: readonly unknown[]): Promise<Json> =>
				askDevelopment(await settings(), method, params);
			await run({
				...context,
				ask,
				change: async (method, params) => {
					const genesis = await meantChain(await settings());
					const result = await ask(method, params);
					note(`on the chain ${genesis.slice(-8)} at ${new URL(developmentUrl(await settings())).host}`);
					return result;
				},
				accountHex: async (text) => toHex(await accountNamed(await settings(), text)),
				done: (answer, message) =>
					print.outcome(answer === true, answer === true ? message : "nothing was changed"),
			});
		},
	});
}
