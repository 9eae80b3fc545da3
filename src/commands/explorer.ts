import { once } from "node:events";
import { Flags } from "@oclif/core";
import { serveExplorer } from "../launch/explorer-server.js";
import { query } from "../terminal/base/command-row.js";
import { nodeFlags } from "../terminal/flags/flags.js";
import { printLine } from "../terminal/output/output.js";
import { interruption } from "../terminal/prompt/interrupt.js";
import { Failure } from "../wallet/failure.js";

export const Explorer = query({
	summary: "Serve the explorer of a node on this machine, until interrupted",
	description:
		"The page is for this machine's browsers alone, and passes on questions that change nothing. Nodes serve it themselves with coin node start --explorer.",
	examples: ["<%= config.bin %> explorer --node http://127.0.0.1:8090"],
	flags: {
		...nodeFlags,
		port: Flags.integer({
			description: "port of the page; 0: any free one",
			default: 8099,
			min: 0,
			max: 65_535,
		}),
	},
	run: async ({ flags, settings }) => {
		const { http, headers, profile } = settings;
		if (http === undefined) throw new Failure("usage", `the profile "${profile}" has no http address`);
		const server = await serveExplorer(http.replace(/\/+$/, ""), flags.port, headers).catch(
			(error: unknown) => {
				const { code } = error as NodeJS.ErrnoException;
				throw new Failure("start_failed", `port ${flags.port} can't be bound (${code ?? String(error)})`);
			},
		);
		printLine(server.url);
		const ended = interruption();
		if (!ended.aborted) await once(ended, "abort");
		await server.close();
	},
});
