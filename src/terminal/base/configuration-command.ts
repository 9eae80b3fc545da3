/** The base of commands that change the user's configuration. */

import type { Configuration } from "../../wallet/configuration/configuration.js";
import { type ConfigurationEdit, editConfiguration } from "../../wallet/configuration/configuration-edit.js";
import { loadSettings, type Settings, type SettingsFlags } from "../../wallet/configuration/settings.js";
import { CoinCommand } from "./coin-command.js";

export abstract class ConfigurationCommand extends CoinCommand {
	/**
	 * Changes keys of the configuration file, if the outcome still works.
	 * @param profile the one that must work afterwards; undefined: the one in use
	 * @returns the settings afterwards
	 */
	protected async edit(
		flags: SettingsFlags,
		edits: readonly ConfigurationEdit[],
		profile?: string,
	): Promise<Settings> {
		const { configurationFile } = await this.settings({ config: flags.config });
		const load = (outcome: Configuration): Promise<Settings> =>
			loadSettings({ ...flags, profile }, process.env, outcome);
		let settings: Settings | undefined;
		await editConfiguration(
			configurationFile,
			edits,
			(text) => this.note(text),
			async (outcome) => {
				settings = await load(outcome);
			},
		);
		return settings as Settings;
	}
}
