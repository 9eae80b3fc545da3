/** The base of commands that ask or change a development chain, by its own methods (protocol/development-chain §4.4). */

import { toHex } from "../../protocol/bytes.js";
import type { SettingsFlags } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json } from "../../wallet/json.js";
import { callJsonRpc, developmentUrl } from "../../wallet/node/json-rpc.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { keystoreFlags, nodeFlags } from "../flags/flags.js";
import { CoinCommand } from "./coin-command.js";

/** Flags of every such command. */
export const developmentFlags = { ...nodeFlags, ...keystoreFlags };

export abstract class DevelopmentCommand extends CoinCommand {
	/** Calls a method of development chains. @throws {Failure} `not_served` by every other node */
	protected async ask(flags: SettingsFlags, method: string, params: readonly unknown[]): Promise<Json> {
		const settings = await this.settings(flags);
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

	/**
	 * Calls a method that changes the chain, and says which chain that was.
	 * @throws {Failure} `wrong_network` before anything is changed, if the profile means another chain
	 */
	protected async change(flags: SettingsFlags, method: string, params: readonly unknown[]): Promise<Json> {
		const settings = await this.settings(flags);
		const info = await this.ask(flags, "dev_info", []);
		const genesis = isRecord(info) ? String(info["genesis"]) : "";
		if (settings.genesis !== undefined && !genesis.endsWith(settings.genesis)) {
			throw new Failure(
				"wrong_network",
				`the node serves the chain ${genesis}, the profile "${settings.profile}" means ${settings.genesis}`,
			);
		}
		const result = await this.ask(flags, method, params);
		this.note(`on the chain ${genesis.slice(-8)} at ${new URL(developmentUrl(settings)).host}`);
		return result;
	}

	/** Prints that a change was made: what was done, for people, and `true` or `false` for programs. */
	protected printDone(answer: Json, message: string): void {
		this.printOutcome(answer === true, answer === true ? message : "nothing was changed");
	}

	/** An account in the form that the methods take. */
	protected async account(flags: SettingsFlags, text: string): Promise<string> {
		return toHex(await accountNamed(await this.settings(flags), text));
	}
}
