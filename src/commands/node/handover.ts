/** `coin node handover`: this release takes over from the running one. */

import { askForHandover } from "../../launch/control-client.js";
import { command } from "../../terminal/base/command-row.js";
import { directoryFlags, progressFlag } from "../../terminal/flags/flags.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";

export const NodeHandover = command({
	summary: "Have this release take over from a node that runs",
	description:
		"Run it with the new release, as the node's user, on its machine. The running node starts the new process with its own " +
		"command line, and goes on until that one has checked the configuration and loaded what it needs; then it stops at the " +
		"end of a block, and the new one opens the same data and the same listeners. Clients that connect meanwhile wait and are " +
		"answered; one that has a connection open may have to ask once more. Whatever fails before the running node has closed leaves " +
		"it as it is.",
	examples: ["<%= config.bin %> node handover -d /var/lib/coin"],
	result: one(record({ pid: "integer", gapMs: "integer" })),
	flags: { ...progressFlag, "output-directory": directoryFlags["output-directory"] },
	run: async ({ flags, audience, print }) => {
		const directory = flags["output-directory"];
		const [, script = ""] = process.argv;
		const result = await withProgress("handing over", audience(), () =>
			askForHandover(directory, { runtime: process.execPath, script }),
		);
		if (!result)
			throw new Failure("start_failed", `no node of yours has ${directory} open`, {
				hint: "-d names the data directory of the node that runs, and its user has to ask; coin node start starts one",
			});
		print.record(result);
	},
});
