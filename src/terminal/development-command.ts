/** The base of commands that change a development chain, by its own methods (sheet 11 §9.4). */

import { toHex } from "../protocol/bytes.js";
import { Failure } from "../wallet/failure.js";
import type { Json } from "../wallet/json.js";
import { callJsonRpc } from "../wallet/json-rpc.js";
import { NodeClient } from "../wallet/node-client.js";
import type { Settings, SettingsFlags } from "../wallet/settings.js";
import { accountNamed } from "../wallet/signing.js";
import { CoinCommand } from "./coin-command.js";
import { keystoreFlags, nodeFlags } from "./flags.js";

/** Flags of every such command. Without a node the built-in profile `dev` is asked. */
export const developmentFlags = { ...nodeFlags, ...keystoreFlags };

export abstract class DevelopmentCommand extends CoinCommand {
	/** The settings, of the profile `dev` unless another node or profile is named. */
	protected async developmentSettings(flags: SettingsFlags): Promise<Settings> {
		const { COIN_NODE, COIN_PROFILE } = process.env;
		const isNamed = flags.node ?? flags.profile ?? COIN_NODE ?? COIN_PROFILE;
		return this.settings(isNamed === undefined ? { ...flags, profile: "dev" } : flags);
	}

	/** Calls a method of development chains. @throws {Failure} `not_served` by every other node */
	protected async ask(flags: SettingsFlags, method: string, params: readonly unknown[]): Promise<Json> {
		const client = new NodeClient(await this.developmentSettings(flags));
		try {
			return await callJsonRpc(client, method, params);
		} catch (error) {
			if (!(error instanceof Failure) || error.code !== "not_served") throw error;
			throw new Failure("not_served", "the node there is no development chain, or this is not its gateway", {
				...error.facts,
				hint: "coin node start runs one, with its gateway at port 9090",
			});
		}
	}

	/** An account in the form that the methods take. */
	protected async account(flags: SettingsFlags, text: string): Promise<string> {
		return toHex(await accountNamed(await this.developmentSettings(flags), text));
	}
}
